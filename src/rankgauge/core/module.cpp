// The compiled core as a Python module: buffers in, buffers out, no NumPy headers, no GIL held during long work.
// Only the limited API is used, so that one binary serves every Python from 3.11 on.
#include "py_candidates.hpp"
#include "py_columns.hpp"
#include "py_hits.hpp"
#include "py_join.hpp"
#include "py_judgments.hpp"
#include "py_ranks.hpp"
#include "py_table.hpp"
#include "py_views.hpp"

using namespace rankgauge;

namespace {

PyMethodDef functions[] = {
    {"cumulate", core_cumulate, METH_VARARGS, "Running sums of float64 values, group by group."},
    {"take", core_take, METH_VARARGS, "The strings at these indices, as a new column."},
    {"encode", core_encode, METH_VARARGS, "(code of each string, index of each distinct string's first appearance)."},
    {"duplicates", core_duplicates, METH_VARARGS,
     "(rows whose string is in their group already, the row where it was first)."},
    {"sort_judgments", core_sort_judgments, METH_VARARGS,
     "Topics, where the rows of each begin, and the rows by topic and document, ascending as bytes."},
    {"gather_hits", core_gather_hits, METH_VARARGS,
     "The hits that several joins returned, for all topics in order; None if a topic is in several of them."},
    {"ranks", core_ranks, METH_VARARGS, "The rank of every row within its topic."},
    {"encode_views", core_encode_views, METH_VARARGS, "As encode, for Arrow's string views."},
    {"pack_views", core_pack_views, METH_VARARGS, "Arrow's string views as (data, offsets)."},
    {nullptr, nullptr, 0, nullptr}};

int execute(PyObject* module) {
    return guarded(
        [&] {
            auto add = [&](PyType_Spec* spec, const char* name) {
                PyObject* type = checked(PyType_FromSpec(spec));
                Py_INCREF(type);  // one reference for the module, one for this file
                if (PyModule_AddObject(module, name, type) != 0) throw Failed();
                return reinterpret_cast<PyTypeObject*>(type);
            };
            judgments_type = add(&judgments_spec, "Judgments");
            add(&join_spec, "Join");
            add(&table_spec, "Table");
            add(&candidates_spec, "FixedCandidates");
            return 0;
        },
        -1);
}

PyModuleDef_Slot slots[] = {{Py_mod_exec, reinterpret_cast<void*>(execute)}, {0, nullptr}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_compiled", "The compiled core.", 0,
                          functions,             slots,       nullptr,              nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__compiled() { return PyModuleDef_Init(&definition); }
