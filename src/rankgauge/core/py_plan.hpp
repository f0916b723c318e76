// The Python type Plan.
#pragma once

#include "python.hpp"

#include <optional>

#include "plan.hpp"

namespace rankgauge {

inline PyObject* plan_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
    return guarded(
        [&] {
            no_keywords(keywords);
            PyObject *begins, *ends, *doc_data, *doc_offsets, *judgments, *grades;
            int ties;
            if (!PyArg_ParseTuple(args, "OOOOOOi", &begins, &ends, &doc_data, &doc_offsets, &judgments, &grades, &ties))
                throw Failed();
            Texts docs(doc_data, doc_offsets);
            Buffer first(begins), last(ends), judgment(judgments), grade(grades);
            const std::int64_t *number = judgment.numbers<std::int64_t>(), *begin = first.numbers<std::int64_t>(),
                               *end = last.numbers<std::int64_t>();
            if (first.count() != last.count() || docs.column().size != judgment.count())
                throw std::invalid_argument("candidates of different lengths");
            for (std::size_t t = 0; t < first.count(); ++t)
                if (begin[t] < 0 || end[t] < begin[t] || end[t] > std::int64_t(judgment.count()))
                    throw std::invalid_argument("a topic outside the candidates");
            for (std::size_t i = 0; i < judgment.count(); ++i)
                if (number[i] >= std::int64_t(grade.count())) throw std::invalid_argument("a judgment without a grade");
            return make(type, new Plan(first.copy<std::int64_t>(), last.copy<std::int64_t>(), docs.column(),
                                       judgment.copy<std::int64_t>(), grade.copy<double>(), ties));
        },
        nullptr);
}

inline PyObject* plan_place(PyObject* self, PyObject* args) {
    return guarded(
        [&] {
            PyObject* scores;
            int single;
            if (!PyArg_ParseTuple(args, "Op", &scores, &single)) throw Failed();
            auto* plan = reinterpret_cast<Holder<Plan>*>(self)->inner;  // placing changes nothing: any number at once
            Buffer buffer(scores);
            if (buffer.size() != plan->size() * (buffer.of_floats() ? sizeof(float) : sizeof(double)))
                throw std::invalid_argument("scores of another length");
            std::optional<Placed> placed;
            if (buffer.of_floats()) {
                const float* score = buffer.numbers<float>();
                Unlocked unlocked;
                placed = plan->place(score);
            } else {
                const double* score = buffer.numbers<double>();
                Unlocked unlocked;
                placed = single ? plan->place(std::vector<float>(score, score + plan->size()).data()) : plan->place(score);
            }
            if (!placed) Py_RETURN_NONE;
            return checked(Py_BuildValue("(NNNN)", bytes_of(placed->rank), bytes_of(placed->judgment),
                                         bytes_of(placed->tied), bytes_of(placed->decisive)));
        },
        nullptr);
}

inline PyMethodDef plan_methods[] = {
    {"place", plan_place, METH_VARARGS, "Return (rank, judgment, tied, decisive) for new scores of the candidates, None if one is NaN."},
    {nullptr, nullptr, 0, nullptr}};
inline PyType_Slot plan_slots[] = {{Py_tp_new, reinterpret_cast<void*>(plan_new)},
                            {Py_tp_dealloc, reinterpret_cast<void*>(destroy<Plan>)},
                            {Py_tp_methods, plan_methods},
                            {Py_tp_doc, const_cast<char*>("Fixed candidates that take new scores.")},
                            {0, nullptr}};
inline PyType_Spec plan_spec = {"rankgauge.core._compiled.Plan", sizeof(Holder<Plan>), 0, Py_TPFLAGS_DEFAULT, plan_slots};

}  // namespace rankgauge
