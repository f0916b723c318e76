"""Names of measures in the interfaces of other tools mean what they mean in rankgauge, or are listed."""

from rankgauge import parse
from rankgauge.compat import ir_measures
from rankgauge.extensions.tools.ranx.evaluation import METRICS, requests
from rankgauge.measures import other_tools


def test_names_of_drop_ins_mean_the_same_here_or_are_listed():
    """What a drop-in computes for a name is what the name means here, unless the table says otherwise."""
    texts = ["P@5", "SetF(beta=4.0)", "IPrec@0.1"]
    for known in dict.fromkeys(ir_measures.measures.registry.values()):
        needed = {"recall": 0.1, "max_rel": 3, "cutoff": 10}
        required = {name: needed[name] for name, info in known.SUPPORTED_PARAMS.items() if info.required}
        texts.append(str(known(**required)))
    meant = {("ir_measures", text): ir_measures.parse_measure(text).rankgauge for text in texts}
    meant |= {("ranx", name): requests(name)[name][1] for name in METRICS if name != "rbp"}
    assert str(meant["ranx", "bpref"]) == "Bpref(negatives=nonrelevant)"
    assert str(requests("rbp.95@10-l2")["rbp.95@10-l2"][1]) == "RBP(p=0.95,rel=2)@10"
    different = {(tool, parse(name).spec.name) for tool, name, *_ in other_tools.DIFFERENT}
    for (tool, name), computed in meant.items():
        assert parse(name) == computed or (tool, parse(name).spec.name) in different, name


def test_each_name_with_another_meaning_has_what_the_drop_in_computes():
    for tool, name, instead, *_ in other_tools.DIFFERENT:
        if tool == "ir_measures":
            assert str(ir_measures.parse_measure(name).rankgauge) == instead
