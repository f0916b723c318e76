"""ir_measures itself, answered by rankgauge while a test runs."""

import pytest
from rankgauge.compat.ir_measures import register


@pytest.fixture
def answered(monkeypatch):
    """The package ir_measures with rankgauge registered, and with pytrec_eval as good as not installed."""
    ir_measures = pytest.importorskip("ir_measures")
    pipeline = ir_measures.DefaultPipeline
    monkeypatch.setattr(pipeline, "providers", list(pipeline.providers))
    monkeypatch.setattr(ir_measures.pytrec_eval, "_is_available", False)
    for name, provider in list(ir_measures.providers.registry.items()):
        monkeypatch.setitem(ir_measures.providers.registry, name, provider)  # restored after the test
    measures = ir_measures.measures.registry
    for name, measure in list(measures.items()):
        monkeypatch.setitem(measures, name, measure)
        monkeypatch.setattr(type(measure), "SUPPORTED_PARAMS", measure.SUPPORTED_PARAMS)
    theirs = {*measures}
    register()
    yield ir_measures
    for name in measures.keys() - theirs:
        del measures[name]
        delattr(ir_measures, name)
    del ir_measures.providers.registry["rankgauge"]
