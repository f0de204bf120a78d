"""Options and arguments of commands, each declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from omoide.cli.completion import (
    categories,
    choice,
    entity_names,
    presets,
    record_id,
    session_names,
    setting_names,
    setting_values,
    words,
)

DAYS_MOST = 36_500

TokensOfHits = Annotated[int | None, Option(help="Tokens the hits may take together.")]
Explain = Annotated[bool, Option("--explain", help="Show how each search ranked each hit.")]
RecordId = Annotated[str, record_id("Id of an item or a turn.", "item")]
OnlyCategory = Annotated[
    str, Option("--category", "-c", help="Only this category.", autocompletion=categories)
]
OnlyDomain = Annotated[str, Option(help="Only this domain.")]
OnlyContext = Annotated[str, Option("--context", help="Only this context.")]
OnlyEntity = Annotated[str, Option(help="Only items about this.", autocompletion=entity_names)]
SensitiveToo = Annotated[bool, Option("--sensitive", help="Sensitive items too.")]
ClosedToo = Annotated[bool, Option("--closed", help="Items no longer held, too.")]
OnlyUnconfirmed = Annotated[bool, Option("--unconfirmed", help="Only unconfirmed items.")]
ConfirmedOnly = Annotated[bool, Option("--confirmed-only", help="Leave out unconfirmed items.")]
SortedBy = Annotated[
    str,
    choice(Option, *"updated_at created_at confidence category context text uses".split()),
]
ItemsAPage = Annotated[int, Option("--limit", "-n", help="Items a page.")]
PassedOver = Annotated[int, Option(help="Items to pass over.")]
EarlierMoment = Annotated[
    str, Argument(help="The earlier moment: ISO 8601, or words such as 'last week'.")
]
LaterMoment = Annotated[str | None, Argument(help="The later moment; if not given, now.")]
DaysAhead = Annotated[
    float,
    Option(min=0, max=DAYS_MOST, help="How many days ahead; 0 for what is due now."),
]
Limit = Annotated[int, Option("--limit", "-n", help="How many at most.")]
ForCron = Annotated[
    bool,
    Option(
        "--check",
        help="For cron: only what is due now; if that is nothing, be silent and exit with 1.",
    ),
]
Remind = Annotated[
    bool,
    Option(
        "--remind", help="Note that these were shown: each comes once more, when it is overdue."
    ),
]
SessionOrAll = Annotated[
    str | None,
    Argument(help="A session; if not given, all of them.", autocompletion=session_names),
]
FromTime = Annotated[str | None, Option(help="Only from this time on.")]
FromPosition = Annotated[int, Option(help="Only from this position in the session on.")]
ToolOrAll = Annotated[str | None, Argument(help="A tool; if not given, all of them.")]
OnlyFailed = Annotated[bool, Option("--failed", help="Only calls that failed.")]
AllOfOrigin = Annotated[
    str | None,
    Option(help="All that a document or import brought, and what it did to the rest."),
]
OwnOfSource = Annotated[
    str | None, Option(help="Your own items of a source, such as import or discovery.")
]
OwnOfCategory = Annotated[
    str | None,
    Option("-c", "--category", help="Your own items of a category.", autocompletion=categories),
]
InPlace = Annotated[
    bool,
    Option("--replace", help="Put it in the place of a store; the old one stays beside it."),
]
Repair = Annotated[bool, Option("--repair", help="Mend the search index from the records.")]
Deep = Annotated[bool, Option("--deep", help="Make every vector again to compare.")]
EarlierHead = Annotated[
    str | None,
    Option(help="An earlier end of the ledger, as this command prints it: SEQ:HASH."),
]
OnlyChores = Annotated[
    str | None,
    Option(
        help=(
            "Only these, with commas: vectors, decay, reconcile, distil, condense, recipes, prune."
        )
    ),
]
SettingName = Annotated[
    str | None,
    Argument(help="A setting; if not given, all of them.", autocompletion=setting_names),
]
SettingValue = Annotated[
    str | None,
    Argument(
        help="What to set it to in the file; if not given, show it.", autocompletion=setting_values
    ),
]
Unset = Annotated[bool, Option("--unset", help="Take it out of the file.")]
LearnAgain = Annotated[
    bool, Option("--again", help="From all of it, also what was learned from before.")
]
OnlyShowLearnt = Annotated[
    bool,
    Option(
        "--preview",
        help="Only show what would be learned, and why; the model is asked all the same.",
    ),
]
StoredSince = Annotated[
    str | None,
    Option(help="Only sessions of which something was stored from this time on."),
]
OnlyShowSessions = Annotated[bool, Option("--preview", help="Only show which they are.")]
OnlyShowPrompt = Annotated[bool, Option("--preview", help="Only show what a model would be shown.")]
Dataset = Annotated[
    str,
    Argument(
        help=(
            "locomo-turns, locomo-items, locomo-sessions, beam-100k, beam-500k,"
            " longmemeval-sessions, longmemeval-turns, "
            "longmemeval-pool or probes (your own)."
        )
    ),
]
DataFolder = Annotated[
    Path | None, Option(help="Folder or file of the data.", envvar="OMOIDE_EVAL_DATA")
]
Systems = Annotated[
    list[str] | None,
    Option("--system", "-s", help="A preset, or another system; may be repeated. Else: default."),
]
Baselines = Annotated[
    bool, Option("--baselines", help="SQLite's full-text search and each arm alone, too.")
]
OtherEmbedder = Annotated[str | None, Option(help="Another embedder than the one set.")]
RerankerOfBest = Annotated[
    str | None, Option(help="Another reranker than the one set, for the preset best.")
]
Questions = Annotated[int | None, Option("--limit", "-n", help="How many questions at most.")]
Elsewhere = Annotated[
    bool,
    Option(
        "--elsewhere",
        help="Ask each question of the next conversation too, which holds no answer.",
    ),
]
ResultsFile = Annotated[
    Path | None,
    Option("--out", "-o", help="Where the results go; if not given, DATASET.eval.json."),
]
Seed = Annotated[int, Option(help="Of the drawing for intervals.")]
ContextTokens = Annotated[int, Option(help="Tokens of a context: 500, 1000, 2000, 4000 or 8000.")]
Results = Annotated[Path, Argument(help="Results of eval run.")]
OtherResults = Annotated[
    Path, Argument(help="Results to compare with these; may be the same file.")
]
SystemOfOne = Annotated[str, Option(help="Which system of the one; if not given, its first.")]
SystemOfOther = Annotated[
    str, Option(help="Which system of the other; if not given, the one of the same name.")
]
QuestionsTarget = Annotated[Path, Argument(metavar="FILE", help="Where the questions go.")]
ProbesMost = Annotated[int, Option("--count", "-n", help="How many questions at most.")]
SeedOfChoice = Annotated[
    int, Option(help="Of the choice; the same memory and seed give the same questions.")
]
QuestionsFile = Annotated[Path, Argument(metavar="FILE", help="Questions of probe make.")]
SystemsOrArms = Annotated[
    list[str] | None,
    Option("--system", "-s", help="A preset, or an arm alone; may be repeated."),
]
TriedEmbedder = Annotated[
    str,
    Option(
        help=(
            "An embedder to try: its vectors are made beside those that serve, and kept for the"
            " switch."
        )
    ),
]
OtherReranker = Annotated[str | None, Option(help="Another reranker than the one set.")]
ProbeResultsFile = Annotated[
    Path | None,
    Option("--out", "-o", help="Where the results go; if not given, beside the questions."),
]
Export = Annotated[Path, Argument(help="An export: zip, folder or file.")]
Format = Annotated[
    str | None,
    Option(
        help=(
            "If it is not found out: basic_memory, chatgpt, claude_ai, claude_code, codex,"
            " discord, gaia, gemini_cli, hindsight, instagram, langgraph, letta, mail,"
            " mcp_memory, mem0, signal, slack, telegram, transcript, whatsapp, zep."
        )
    ),
]
ZoneOfTimes = Annotated[
    str | None,
    Option(
        help=(
            "Time zone of times without one, such as Europe/Lisbon; if not given, yours, else"
            " this machine's."
        )
    ),
]
DayFirst = Annotated[
    bool | None,
    Option("--day-first/--month-first", help="How to read dates like 03/04/26."),
]
Me = Annotated[str | None, Option(help="Who of the export is you, as the export names them.")]
UserOfExport = Annotated[
    str | None,
    Option("--user", "-u", help="Export this user; if not given, the one before the command."),
]
WholeTenant = Annotated[
    bool, Option("--everything", help="The whole tenant, not only what is one user's.")
]
AsAdministrator = Annotated[
    bool,
    Option(
        "--everything",
        help="As an administrator: also what is of others or everybody, and privileged.",
    ),
]
RestoreForgotten = Annotated[
    bool, Option("--restore-forgotten", help="Do not ask: also what was forgotten.")
]
WriteSensitive = Annotated[bool, Option("--sensitive", help="Write sensitive items too.")]
DropEdits = Annotated[bool, Option("--force", help="Drop edits in the folder that were not read.")]
KeepRemoved = Annotated[bool, Option("--keep", help="Forget nothing; write removed entries again.")]
ForgetRemoved = Annotated[
    bool, Option("--yes", "-y", help="Forget removed entries without asking.")
]
FailedTask = Annotated[str, Argument(help="Id of the task that failed.")]
TaskTitle = Annotated[str, Option(help="What it was about.")]
TaskError = Annotated[str, Option(help="How it failed; paths and addresses are left out.")]
CalledTools = Annotated[str, Option(help="The tools that were called, with commas between.")]
LaterByWorker = Annotated[bool, Option("--later", help="Let a worker do it.")]
LeastNear = Annotated[float, Option(help="How near to the goal they are at least, from -1 to 1.")]
Question = Annotated[
    str, Argument(help="What to look for; may be '' beside options such as --since.")
]
Categories = Annotated[
    list[str] | None,
    Option("--category", "-c", help="Only these categories.", autocompletion=categories),
]
AllTags = Annotated[list[str] | None, Option(help="Only items with all of these tags.")]
AnyEntity = Annotated[list[str] | None, Option(help="Only items about one of these.")]
MemoryKind = Annotated[
    str | None,
    Option(
        help="Only episodic, semantic, procedural or, with --entity, social memory.",
        autocompletion=words("episodic", "semantic", "procedural", "social"),
    ),
]
BeforeTime = Annotated[
    str | None, Option(help="Only before this time; a date alone includes that day.")
]
Preset = Annotated[
    str,
    Option(help="fast, default, best, thorough, keyword or rrf", autocompletion=presets),
]
ReflectAgain = Annotated[
    bool, Option("--again", help="On all of it, also what was reflected on before.")
]
Seal = Annotated[str, Argument(help="The seal that it was shown with; good for ten minutes.")]
AsMine = Annotated[
    bool, Option("--as-mine", help="Make it your own word, not that of who said it.")
]
ItemId = Annotated[str, record_id("Id of the item.", "item")]
KeyName = Annotated[
    str | None,
    Argument(help="Variable of a key, such as OPENAI_API_KEY; without it, list the stored keys."),
]
Remove = Annotated[bool, Option("--remove", help="Remove the key.")]
LearningData = Annotated[
    str,
    Argument(help="locomo, cri, or cri-telling: the sessions of cri that tell of changes."),
]
LearningFolder = Annotated[
    Path | None, Option(help="Folder of the data.", envvar="OMOIDE_EVAL_DATA")
]
OtherModel = Annotated[
    str,
    Option(
        help=(
            "Another model than the one set, such as cassette:FILE; none: only count what is asked."
        )
    ),
]
Stories = Annotated[
    list[str] | None, Option("--story", help="Only these stories of it; may be repeated.")
]
OtherPrompts = Annotated[
    Path | None,
    Option(
        help=(
            "Folder of other prompts, such as extract.md, to compare with the packaged ones;"
            " those it lacks are the packaged ones."
        )
    ),
]
NewCategory = Annotated[
    str,
    Option(
        "--category",
        "-c",
        help="fact, preference, error, skill, note, reminder, …",
        autocompletion=categories,
    ),
]
Tags = Annotated[list[str] | None, Option("--tag", "-t", help="A tag; may be repeated.")]
Entities = Annotated[
    list[str] | None,
    Option("--entity", "-e", help="Who or what it is about, such as person:ana; may be repeated."),
]
Bases = Annotated[
    list[str] | None,
    Option(
        help=(
            "Id of an item that it rests on; may be repeated. If that item closes, this"
            " one becomes unconfirmed."
        )
    ),
]
DueAt = Annotated[str | None, Option(help="When it is due: ISO 8601, or words such as tomorrow.")]
Sensitive = Annotated[bool, Option("--sensitive", help="Only shown when asked for.")]
MessagesFile = Annotated[
    str,
    Argument(help="Messages as a JSON array, or one JSON object a line; - reads standard input."),
]
Private = Annotated[
    bool, Option("--private", help="Let them be seen from within their session only.")
]
FromChannel = Annotated[
    str,
    Option(
        help=(
            "Where they come from, such as mail: who is linked there is the user of what they said."
        )
    ),
]
StatementsFile = Annotated[
    str,
    Argument(help="Statements as a JSON array, or one JSON object a line; - reads standard input."),
]
PreviewUndo = Annotated[
    bool, Option("--preview", help="Only show what it would take back and keep.")
]
ToolArgs = Annotated[
    str, Option(help='What it was given, as a JSON object such as {"city": "Lisbon"}.')
]
ToolResult = Annotated[str, Option(help="What it gave.")]
ToolError = Annotated[str | None, Option(help="What went wrong; if not given, the call succeeded.")]
ToolTook = Annotated[float | None, Option(help="Milliseconds it took.")]
OnlyArgNames = Annotated[bool, Option("--sensitive", help="Keep only the names of its arguments.")]
Threads = Annotated[int, Option(min=1, max=64, help="How many jobs at a time.")]
UntilIdle = Annotated[bool, Option("--until-idle", help="Stop when nothing is left to do now.")]
Upstream = Annotated[str, Option(help="The service, such as https://api.openai.com/v1.")]
Port = Annotated[int, Option(min=0, max=65_535, help="0: any free port.")]
Host = Annotated[str, Option(help="The address to listen on; other machines reach 0.0.0.0.")]
OnlyDead = Annotated[bool, Option("--dead", help="Only those that failed for good.")]
Incognito = Annotated[bool, Option("--incognito", help="Write nothing of this conversation.")]
NewChat = Annotated[
    bool, Option("--new", help="Start a new conversation; do not resume the last one.")
]
Session = Annotated[
    str | None,
    Argument(
        help="The session, as omoide sessions list shows it; if not given, that of --session.",
        autocompletion=session_names,
    ),
]
RecordedSince = Annotated[
    str | None, Option(help="Only what was recorded or changed after this moment, or day.")
]
RecordedUntil = Annotated[
    str | None, Option(help="Only what was recorded or changed up to this moment or day.")
]
ChangeId = Annotated[str, record_id("Id of a change, a session or an import.", "change")]


def show_version(wanted: bool) -> None:
    """Print the version and leave."""
    if wanted:
        from omoide import __version__

        typer.echo(f"omoide {__version__}")
        raise typer.Exit


# before every command
Store = Annotated[
    str | None,
    Option(
        help="File of the store, or postgresql://…; if not given, memory.db in the home folder."
    ),
]
User = Annotated[
    str | None,
    Option("--user", "-u", help="Whose memory it is; for good: omoide config user NAME."),
]
UserName = Annotated[str, Argument(help="The user's name.")]
Agent = Annotated[str | None, Option(help="Which agent's memory it is.")]
Tenant = Annotated[str | None, Option(help="Tenant, where several share a store.")]
InSession = Annotated[
    str | None,
    Option("--session", help="Session it happens in.", autocompletion=session_names),
]
InContext = Annotated[
    str | None, Option("--context", help="Context that new items belong to, such as work.")
]
Shared = Annotated[bool, Option("--shared", help="Everybody's: no user is meant.")]
Version = Annotated[
    bool,
    Option("--version", callback=show_version, is_eager=True, help="Show the version and exit."),
]
AnyRecordId = Annotated[
    str,
    record_id("An item, with all its versions, a turn or a proposal.", "item", "proposal"),
]
