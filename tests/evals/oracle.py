"""What the checks keep of an extractor that is always right: it answers with what LoCoMo's annotators noted, quoting the whole message.

    python -m tests.evals.oracle DATA

prints the figures of ``omoide eval extract`` for each conversation. No language model takes part; each decision is to add.
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Any

from omoide.evals.extraction import Told, figures, learn
from omoide.evals.gold import Story, load_gold
from omoide.models.answers import one_line
from omoide.models.chat import Ask, Purpose
from omoide.models.scripted import ScriptedModel
from omoide.upkeep.teaching import Teaching


def oracle(story: Story) -> ScriptedModel:
    """A model that notes a story's facts where it is shown a message that they rest on."""
    said = {str(m.key): one_line(m.text) for talk in story.talks for m in talk.messages}

    def extract(ask: Ask) -> dict[str, Any]:
        shown = {line.partition(": ")[2]: line.split(" ")[0] for line in ask.text.splitlines() if line[:1].isdigit()}
        notes = []
        for fact in story.facts:
            quote = next((said[key] for key in sorted(fact.messages) if said.get(key) in shown), None)
            if quote is not None:
                notes.append({"text": fact.text, "quote": quote, "turn": int(shown[quote]), "category": "fact", "op": "add"})
        return {"items": notes}

    return ScriptedModel({Purpose.EXTRACT: extract, Purpose.DECIDE: lambda ask: {"decisions": []}}, id="oracle")


def measured(story: Story) -> Told:
    """What is learnt of a story from the right answers."""
    return learn(story, oracle(story), Teaching())


def main() -> None:
    """Print the figures."""
    gold = load_gold("locomo", sys.argv[1])
    sys.stdout.write(f"data {gold.hash[:12]}\n")
    for story in gold.stories:
        told = measured(story)
        shown = {name: round(value, 3) if isinstance(value, float) else value for name, value in asdict(figures(told)).items()}
        sys.stdout.write(
            f"{story.id}: {story.turns} turns, {told.facts} facts, {len(told.suggested)} suggested, {told.items} items, {shown}\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
