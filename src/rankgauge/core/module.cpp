// The compiled core as a Python module: buffers in, buffers out, no NumPy headers, no GIL held during long work.
// Only the limited API is used, so that one binary serves every Python from 3.11 on.
#include "py_candidates.hpp"
#include "py_columns.hpp"
#include "py_dots.hpp"
#include "py_hits.hpp"
#include "py_join.hpp"
#include "py_judgments.hpp"
#include "py_near.hpp"
#include "py_permuting.hpp"
#include "py_program.hpp"
#include "py_ranks.hpp"
#include "py_run_text.hpp"
#include "py_table.hpp"
#include "py_views.hpp"

using namespace rankgauge;

namespace {

PyMethodDef functions[] = {
    {"cumulate", core_cumulate, METH_VARARGS, "Running sums of float64 values, group by group."},
    {"take", core_take, METH_VARARGS, "The strings at these indices, as a new column."},
    {"dots", core_dots, METH_VARARGS, "The products of rows of two matrices in double precision."},
    {"encode", core_encode, METH_VARARGS, "(code of each string, index of each distinct string's first appearance)."},
    {"duplicates", core_duplicates, METH_VARARGS,
     "(rows whose string is in their group already, the row where it was first)."},
    {"sort_judgments", core_sort_judgments, METH_VARARGS,
     "Topics, where the rows of each begin, and the rows by topic and document, ascending as bytes."},
    {"gather_hits", core_gather_hits, METH_VARARGS,
     "The hits that several joins returned, for all topics in order; None if a topic is in several of them."},
    {"near", core_near, METH_VARARGS,
     "Scores above the high limit of each pair, and those between its limits."},
    {"near_differences", core_near_differences, METH_VARARGS,
     "Distances between two rows above the high limit of each pair, and those between its limits."},
    {"permuted_sums", core_permuted_sums, METH_VARARGS,
     "Sums over rows that are permuted anew for every sample, as NumPy permutes them."},
    {"ranks", core_ranks, METH_VARARGS, "The rank of every row within its topic."},
    {"run_text", core_run_text, METH_VARARGS, "The lines of a run in a TREC file."},
    {"topic_lines", core_topic_lines, METH_O,
     "(where consecutive lines with the same first field begin, where they end, these fields)."},
    {"encode_views", core_encode_views, METH_VARARGS, "As encode, for Arrow's string views."},
    {"pack_views", core_pack_views, METH_VARARGS, "Arrow's string views as (data, offsets)."},
    {nullptr, nullptr, 0, nullptr}};

// Types belong to a module object, and there may be several: one per interpreter, and another after a second import.
int execute(PyObject* module) {
    return guarded(
        [&] {
            auto add = [&](PyType_Spec* spec) {
                const Owned type(PyType_FromModuleAndSpec(module, spec, nullptr));
                if (PyModule_AddType(module, reinterpret_cast<PyTypeObject*>(type.get())) != 0) throw Failed();
                return type.get();  // the module keeps it alive
            };
            PyObject* judgments = add(&judgments_spec);
            Py_INCREF(judgments);
            ModuleState::of(module)->judgments = judgments;
            add(&join_spec);
            add(&table_spec);
            add(&candidates_spec);
            add(&program_spec);
            return 0;
        },
        -1);
}

int traverse(PyObject* module, visitproc visit, void* arg) {
    Py_VISIT(ModuleState::of(module)->judgments);
    return 0;
}

int clear(PyObject* module) {
    Py_CLEAR(ModuleState::of(module)->judgments);
    return 0;
}

// From Python 3.12 on a module can declare that it shares nothing between interpreters, even if each has its own GIL.
// Earlier versions refuse a slot that they do not know, and their headers have no name for it.
PyModuleDef_Slot own_gil() {
#if PY_VERSION_HEX >= 0x030B0000
    if (Py_Version >= 0x030C0000) return {3, reinterpret_cast<void*>(2)};
#endif
    return {0, nullptr};
}

// All state is that of objects, and each of them admits one caller at a time or is never changed.
PyModuleDef_Slot slots[] = {{Py_mod_exec, reinterpret_cast<void*>(execute)},
#if defined(Py_GIL_DISABLED)
                            {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
                            own_gil(),
                            {0, nullptr}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "_compiled",
                          "The compiled core.",
                          sizeof(ModuleState),
                          functions,
                          slots,
                          traverse,
                          clear,
                          nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__compiled() { return PyModuleDef_Init(&definition); }
