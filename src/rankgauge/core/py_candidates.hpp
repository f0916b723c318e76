// The Python type FixedCandidates.
#pragma once

#include "python.hpp"

#include <optional>

#include "candidates.hpp"
#include "py_tie_visibility.hpp"

namespace rankgauge {

inline PyObject* candidates_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
    return guarded(
        [&] {
            no_keywords(keywords);
            PyObject *begins, *ends, *doc_data, *doc_offsets, *judgments, *grades;
            const char *order, *ties, *precision;
            PyObject* visibility = nullptr;
            if (!PyArg_ParseTuple(args, "OOOOOOsss|O", &begins, &ends, &doc_data, &doc_offsets, &judgments, &grades,
                                  &order, &ties, &precision, &visibility))
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
            return make(type, new FixedCandidates(first.copy<std::int64_t>(), last.copy<std::int64_t>(), docs.column(),
                                                  judgment.copy<std::int64_t>(), grade.copy<double>(),
                                                  DocumentOrder(order, ties, precision), visibility_of(visibility)));
        },
        nullptr);
}

inline PyObject* candidates_place(PyObject* self, PyObject* scores) {
    return guarded(
        [&] {
            // placing changes nothing, so any number of threads may do it at once
            const auto* candidates = reinterpret_cast<Holder<FixedCandidates>*>(self)->inner;
            Buffer buffer(scores);
            if (buffer.size() != candidates->size() * (buffer.of_floats() ? sizeof(float) : sizeof(double)))
                throw std::invalid_argument("scores of another length");
            std::optional<Placed> placed;
            if (buffer.of_floats()) {
                const float* score = buffer.numbers<float>();
                Unlocked unlocked;
                placed = candidates->place(score);
            } else {
                const double* score = buffer.numbers<double>();
                Unlocked unlocked;
                placed = candidates->place(score);
            }
            if (!placed) Py_RETURN_NONE;
            return checked(Py_BuildValue("(NNNN)", bytes_of(placed->rank), bytes_of(placed->judgment),
                                         bytes_of(placed->tied), bytes_of(placed->decisive)));
        },
        nullptr);
}

inline PyMethodDef candidates_methods[] = {
    {"place", candidates_place, METH_O,
     "Return (rank, judgment, tied, decisive) for new scores of the candidates, None if one is NaN."},
    {nullptr, nullptr, 0, nullptr}};
inline PyType_Slot candidates_slots[] = {{Py_tp_new, reinterpret_cast<void*>(candidates_new)},
                                         {Py_tp_dealloc, reinterpret_cast<void*>(destroy<FixedCandidates>)},
                                         {Py_tp_methods, candidates_methods},
                                         {Py_tp_doc, const_cast<char*>("Fixed candidates that take new scores.")},
                                         {0, nullptr}};
inline PyType_Spec candidates_spec = {"rankgauge.core._compiled.FixedCandidates", sizeof(Holder<FixedCandidates>), 0,
                                      Py_TPFLAGS_DEFAULT, candidates_slots};

}  // namespace rankgauge
