"""What sessions are learnt from with, and how: the models and the settings, as one record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from datetime import timedelta
from pathlib import Path

from omoide.learning.budget import StoreBooks
from omoide.learning.questions import Questions
from omoide.models.chat.asker import NO_JUDGE, Asker, find_asker
from omoide.models.chat.base import ChatModel, Plain
from omoide.nouns.clock import Clock
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.reflection import DEFAULT_DIGESTS, DigestKind, Size, read_digests
from omoide.nouns.skill_file import skill_folder
from omoide.settings.config import Config, LearnFrom, Strategy
from omoide.settings.levels import Level
from omoide.settings.retention import Retention, read_retention
from omoide.settings.schedules import BY_HAND, read_schedule
from omoide.settings.switches import Switches, Use
from omoide.settings.triggers import DEFAULT_TRIGGERS, Triggers, read_catch_up, read_triggers
from omoide.store.base import Store
from omoide.telemetry.logs import get_logger
from omoide.write.proposals import Mode


@frozen_record
class Teaching:
    """What sessions are learnt from with, and how: the model, when, from whom, for whom, and what
    waits for a person.
    """

    asker: Asker = field(default_factory=Asker)
    spend_limit: float = 0.0  # US dollars a day; 0: none
    token_limit: int = 0  # tokens a day, read and written; 0: none
    judge: bool = True  # a model judges what is learnt; else the findings of the checks stand
    strategy: Strategy = "two-calls"
    steering: str = ""  # an install's own words on what is worth remembering
    persona: str = ""  # who the agent is, by which a model can tell what matters to it
    triggers: Triggers = field(default_factory=lambda: read_triggers(DEFAULT_TRIGGERS))
    # how old sessions in no line may be to be put there; None: left to who asks
    catch_up: timedelta | None = timedelta(days=2)
    learn_from: LearnFrom = "people"
    review: Mode = Mode.AUTO
    switches: Switches = field(default_factory=lambda: Switches(agent_memory=Use.HAND))
    reflect: bool = False  # form reflections too, from every session that was learnt from
    digests: Mapping[DigestKind, Size] = field(
        default_factory=lambda: read_digests(DEFAULT_DIGESTS)
    )
    profile: bool = True
    profile_limit: int = 20  # lines
    retention: Retention = field(default_factory=Retention)
    recipes: bool = False  # rounds of upkeep make recipes too
    skills: Path | None = None  # where SKILL.md files of new procedures are written
    upkeep: str | None = None  # the schedule of rounds, or "hand"; None: as another program set it
    analyse: str | None = None  # likewise, of looking at how tools were used

    @property
    def questions(self) -> Questions:
        """What learning asks of a model."""
        return Questions(
            asker=self.asker,
            strategy=self.strategy,
            steering=self.steering,
            persona=self.persona,
            judge=self.judge,
        )


NO_TEACHING = Teaching()
_log = get_logger(__name__)


def load_teaching(
    config: Config,
    llm: Plain | ChatModel | None = None,
    slow_for: Callable[[str], bool] | None = None,
) -> Teaching:
    """The models that the settings name, or the one given instead, with the rest of what they say
    of learning.

    Where a setting names no model that there is, ``asker.wrong`` says so: what needs no model goes
    on without.

    Raises:
        InvalidInput: another setting is wrong.
    """
    asker = find_asker(config, llm, slow_for)
    if asker.wrong is not None:
        _log.warning("language models are off", error=str(asker.wrong))
    return Teaching(
        asker=asker,
        spend_limit=config.spend_limit,
        token_limit=config.token_limit,
        judge=config.judge != NO_JUDGE,
        strategy=config.strategy,
        steering=config.steering,
        persona=config.persona,
        triggers=read_triggers(config.capture),
        catch_up=read_catch_up(config.catch_up),
        learn_from=config.learn_from,
        review=Mode(config.review),
        switches=Switches(
            user_memory=Use(config.user_memory),
            agent_memory=Use(config.agent_memory),
            shared_memory=config.shared_memory,
        ),
        reflect=config.reflect,
        digests=read_digests(config.digests),
        profile=config.profile,
        profile_limit=config.profile_limit,
        retention=read_retention(
            config.prune_after,
            config.archive_for,
            config.calls_for,
            config.items_most,
            config.unconfirmed_for,
        ),
        upkeep=read_schedule("upkeep", config.upkeep),
        analyse=read_schedule("analyse", config.analyse)
        if config.level is Level.PERSISTENT
        else BY_HAND,
        recipes=config.recipes and config.level is not Level.SESSION,
        skills=skill_folder(config.skills) if config.skills else None,
    )


def kept_in(store: Store, clock: Clock, tenant: str, teaching: Teaching) -> Teaching:
    """The same, with its models' calls noted in a store; those of which nobody says whose they are
    as the tenant's.
    """
    books = StoreBooks(
        store,
        clock,
        tenant=tenant,
        limit_usd=teaching.spend_limit,
        limit_tokens=teaching.token_limit,
    )
    return replace(teaching, asker=teaching.asker.kept_by(books))
