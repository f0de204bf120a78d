"""The presets of recall, by name: which parts of it take part."""

from __future__ import annotations

from omoide.nouns.record.frozen import frozen_record


@frozen_record
class Preset:
    """Which parts of recall take part."""

    vector: bool = True
    entity: bool = True
    time: bool = True
    rerank: bool = False
    again: bool = False  # where the answer seems not to be held, look once more in a model's words
    diverse: bool = True
    ranks: bool = False  # fuse by rank, not by score
    linear: bool = True  # order what was fused by the linear ranker
    all_words: bool = False  # what has every word comes alone, if there is any


PRESETS = {
    "fast": Preset(vector=False, diverse=False),
    "default": Preset(),
    "best": Preset(rerank=True),
    "thorough": Preset(rerank=True, again=True),
    "keyword": Preset(
        vector=False, entity=False, time=False, diverse=False, linear=False, all_words=True
    ),
    "rrf": Preset(entity=False, time=False, diverse=False, ranks=True),
}
