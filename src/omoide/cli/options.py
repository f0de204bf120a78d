"""Options and arguments of commands, each declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from omoide.cli.completion import categories, presets, record_id, setting_names

DAYS_MOST = 36_500

TokensOfHits = Annotated[int | None, typer.Option(help="Tokens the hits may take together.")]
Explain = Annotated[bool, typer.Option("--explain", help="Show how each search ranked each hit.")]
RecordId = Annotated[str, record_id("Id of an item or a turn.", "item")]
OnlyCategory = Annotated[
    str, typer.Option("--category", "-c", help="Only this category.", autocompletion=categories)
]
OnlyDomain = Annotated[str, typer.Option(help="Only this domain.")]
OnlyContext = Annotated[str, typer.Option("--context", help="Only this context.")]
OnlyEntity = Annotated[str, typer.Option(help="Only items about this.")]
SensitiveToo = Annotated[bool, typer.Option("--sensitive", help="Sensitive items too.")]
ClosedToo = Annotated[bool, typer.Option("--closed", help="Items no longer held, too.")]
OnlyUnconfirmed = Annotated[bool, typer.Option("--unconfirmed", help="Only unconfirmed items.")]
ConfirmedOnly = Annotated[
    bool, typer.Option("--confirmed-only", help="Leave out unconfirmed items.")
]
SortedBy = Annotated[
    str,
    typer.Option(help="updated_at, created_at, confidence, category, context, text or uses"),
]
ItemsAPage = Annotated[int, typer.Option("--limit", "-n", help="Items a page.")]
PassedOver = Annotated[int, typer.Option(help="Items to pass over.")]
EarlierMoment = Annotated[
    str, typer.Argument(help="The earlier moment: ISO 8601, or words such as 'last week'.")
]
LaterMoment = Annotated[str | None, typer.Argument(help="The later moment; if not given, now.")]
DaysAhead = Annotated[
    float,
    typer.Option(min=0, max=DAYS_MOST, help="How many days ahead; 0 for what is due now."),
]
Limit = Annotated[int, typer.Option("--limit", "-n", help="How many at most.")]
ForCron = Annotated[
    bool,
    typer.Option(
        "--check",
        help="For cron: only what is due now; if that is nothing, be silent and exit with 1.",
    ),
]
Remind = Annotated[
    bool,
    typer.Option(
        "--remind", help="Note that these were shown: each comes once more, when it is overdue."
    ),
]
SessionOrAll = Annotated[str | None, typer.Argument(help="A session; if not given, all of them.")]
FromTime = Annotated[str | None, typer.Option(help="Only from this time on.")]
FromPosition = Annotated[int, typer.Option(help="Only from this position in the session on.")]
ToolOrAll = Annotated[str | None, typer.Argument(help="A tool; if not given, all of them.")]
OnlyFailed = Annotated[bool, typer.Option("--failed", help="Only calls that failed.")]
AllOfOrigin = Annotated[
    str | None,
    typer.Option(help="All that a document or import brought, and what it did to the rest."),
]
OwnOfSource = Annotated[
    str | None, typer.Option(help="Your own items of a source, such as import or discovery.")
]
OwnOfCategory = Annotated[
    str | None,
    typer.Option(
        "-c", "--category", help="Your own items of a category.", autocompletion=categories
    ),
]
InPlace = Annotated[
    bool,
    typer.Option("--replace", help="Put it in the place of a store; the old one stays beside it."),
]
Repair = Annotated[bool, typer.Option("--repair", help="Mend the search index from the records.")]
Deep = Annotated[bool, typer.Option("--deep", help="Make every vector again to compare.")]
EarlierHead = Annotated[
    str | None,
    typer.Option(help="An earlier end of the ledger, as this command prints it: SEQ:HASH."),
]
OnlyChores = Annotated[
    str | None,
    typer.Option(
        help=(
            "Only these, with commas: vectors, decay, reconcile, distil, condense, recipes, prune."
        )
    ),
]
SettingName = Annotated[
    str | None,
    typer.Argument(help="A setting; if not given, all of them.", autocompletion=setting_names),
]
SettingValue = Annotated[
    str | None, typer.Argument(help="What to set it to in the file; if not given, show it.")
]
Unset = Annotated[bool, typer.Option("--unset", help="Take it out of the file.")]
LearnAgain = Annotated[
    bool, typer.Option("--again", help="From all of it, also what was learnt from before.")
]
OnlyShowLearnt = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Only show what would be learnt, and why; the model is asked all the same.",
    ),
]
StoredSince = Annotated[
    str | None,
    typer.Option(help="Only sessions of which something was stored from this time on."),
]
OnlyShowSessions = Annotated[bool, typer.Option("--dry-run", help="Only show which they are.")]
OnlyShowPrompt = Annotated[
    bool, typer.Option("--dry-run", help="Only show what a model would be shown.")
]
Dataset = Annotated[
    str,
    typer.Argument(
        help=(
            "locomo-turns, locomo-items, locomo-sessions, beam-100k, beam-500k,"
            " longmemeval-sessions, longmemeval-turns, "
            "longmemeval-pool or probes (your own)."
        )
    ),
]
DataFolder = Annotated[
    Path | None, typer.Option(help="Folder or file of the data.", envvar="OMOIDE_EVAL_DATA")
]
Systems = Annotated[
    list[str] | None,
    typer.Option(
        "--system", "-s", help="A preset, or another system; may be repeated. Else: default."
    ),
]
Baselines = Annotated[
    bool, typer.Option("--baselines", help="SQLite's full-text search and each arm alone, too.")
]
OtherEmbedder = Annotated[str | None, typer.Option(help="Another embedder than the one set.")]
RerankerOfBest = Annotated[
    str | None, typer.Option(help="Another reranker than the one set, for the preset best.")
]
Questions = Annotated[int | None, typer.Option("--limit", "-n", help="How many questions at most.")]
Elsewhere = Annotated[
    bool,
    typer.Option(
        "--elsewhere",
        help="Ask each question of the next conversation too, which holds no answer.",
    ),
]
ResultsFile = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="Where the results go; if not given, DATASET.eval.json."),
]
Seed = Annotated[int, typer.Option(help="Of the drawing for intervals.")]
ContextTokens = Annotated[
    int, typer.Option(help="Tokens of a context: 500, 1000, 2000, 4000 or 8000.")
]
Results = Annotated[Path, typer.Argument(help="Results of eval run.")]
OtherResults = Annotated[
    Path, typer.Argument(help="Results to compare with these; may be the same file.")
]
SystemOfOne = Annotated[str, typer.Option(help="Which system of the one; if not given, its first.")]
SystemOfOther = Annotated[
    str, typer.Option(help="Which system of the other; if not given, the one of the same name.")
]
QuestionsTarget = Annotated[Path, typer.Argument(metavar="FILE", help="Where the questions go.")]
ProbesMost = Annotated[int, typer.Option("--count", "-n", help="How many questions at most.")]
SeedOfChoice = Annotated[
    int, typer.Option(help="Of the choice; the same memory and seed give the same questions.")
]
QuestionsFile = Annotated[Path, typer.Argument(metavar="FILE", help="Questions of probe make.")]
SystemsOrArms = Annotated[
    list[str] | None,
    typer.Option("--system", "-s", help="A preset, or an arm alone; may be repeated."),
]
TriedEmbedder = Annotated[
    str,
    typer.Option(
        help=(
            "An embedder to try: its vectors are made beside those that serve, and kept for the"
            " switch."
        )
    ),
]
OtherReranker = Annotated[str | None, typer.Option(help="Another reranker than the one set.")]
ProbeResultsFile = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="Where the results go; if not given, beside the questions."),
]
Export = Annotated[Path, typer.Argument(help="An export: zip, folder or file.")]
Format = Annotated[
    str | None,
    typer.Option(
        help=(
            "If it is not found out: basic_memory, chatgpt, claude_ai, claude_code, codex,"
            " discord, gaia, gemini_cli, hindsight, instagram, langgraph, letta, mail,"
            " mcp_memory, mem0, signal, slack, telegram, transcript, whatsapp, zep."
        )
    ),
]
ZoneOfTimes = Annotated[
    str | None,
    typer.Option(
        help=(
            "Time zone of times without one, such as Europe/Lisbon; if not given, this machine's."
        )
    ),
]
DayFirst = Annotated[
    bool | None,
    typer.Option("--day-first/--month-first", help="How to read dates like 03/04/26."),
]
Me = Annotated[str | None, typer.Option(help="Who of the export is you, as the export names them.")]
UserOfExport = Annotated[
    str | None,
    typer.Option(
        "--user", "-u", help="Export this user; if not given, the one before the command."
    ),
]
WholeTenant = Annotated[
    bool, typer.Option("--everything", help="The whole tenant, not only what is one user's.")
]
AsAdministrator = Annotated[
    bool,
    typer.Option(
        "--everything",
        help="As an administrator: also what is of others or everybody, and privileged.",
    ),
]
RestoreForgotten = Annotated[
    bool, typer.Option("--restore-forgotten", help="Do not ask: also what was forgotten.")
]
WriteSensitive = Annotated[bool, typer.Option("--sensitive", help="Write sensitive items too.")]
DropEdits = Annotated[
    bool, typer.Option("--force", help="Drop edits in the folder that were not read.")
]
KeepRemoved = Annotated[
    bool, typer.Option("--keep", help="Forget nothing; write removed entries again.")
]
ForgetRemoved = Annotated[
    bool, typer.Option("--yes", "-y", help="Forget removed entries without asking.")
]
FailedTask = Annotated[str, typer.Argument(help="Id of the task that failed.")]
TaskTitle = Annotated[str, typer.Option(help="What it was about.")]
TaskError = Annotated[str, typer.Option(help="How it failed; paths and addresses are left out.")]
CalledTools = Annotated[str, typer.Option(help="The tools that were called, with commas between.")]
LaterByWorker = Annotated[bool, typer.Option("--later", help="Let a worker do it.")]
LeastNear = Annotated[
    float, typer.Option(help="How near to the goal they are at least, from -1 to 1.")
]
Question = Annotated[
    str, typer.Argument(help="What to look for; may be '' beside options such as --since.")
]
Categories = Annotated[
    list[str] | None,
    typer.Option("--category", "-c", help="Only these categories.", autocompletion=categories),
]
AllTags = Annotated[list[str] | None, typer.Option(help="Only items with all of these tags.")]
AnyEntity = Annotated[list[str] | None, typer.Option(help="Only items about one of these.")]
MemoryKind = Annotated[
    str | None,
    typer.Option(help="Only episodic, semantic, procedural or, with --entity, social memory."),
]
BeforeTime = Annotated[
    str | None, typer.Option(help="Only before this time; a date alone includes that day.")
]
Preset = Annotated[
    str,
    typer.Option(help="fast, default, best, thorough, keyword or rrf", autocompletion=presets),
]
ReflectAgain = Annotated[
    bool, typer.Option("--again", help="On all of it, also what was reflected on before.")
]
Seal = Annotated[str, typer.Argument(help="The seal that it was shown with; good for ten minutes.")]
AsMine = Annotated[
    bool, typer.Option("--as-mine", help="Make it your own word, not that of who said it.")
]
ItemId = Annotated[str, record_id("Id of the item.", "item")]
KeyName = Annotated[
    str | None,
    typer.Argument(help="Variable of a key, such as OPENAI_API_KEY; if not given, which are kept."),
]
Remove = Annotated[bool, typer.Option("--remove", help="Keep it no longer.")]
LearningData = Annotated[
    str,
    typer.Argument(help="locomo, cri, or cri-telling: the sessions of cri that tell of changes."),
]
LearningFolder = Annotated[
    Path | None, typer.Option(help="Folder of the data.", envvar="OMOIDE_EVAL_DATA")
]
OtherModel = Annotated[
    str,
    typer.Option(
        help=(
            "Another model than the one set, such as cassette:FILE; none: only count what is asked."
        )
    ),
]
Stories = Annotated[
    list[str] | None, typer.Option("--story", help="Only these stories of it; may be repeated.")
]
OtherPrompts = Annotated[
    Path | None,
    typer.Option(
        help=(
            "Folder of other prompts, such as extract.md, to compare with the packaged ones;"
            " those it lacks are the packaged ones."
        )
    ),
]
NewCategory = Annotated[
    str,
    typer.Option(
        "--category",
        "-c",
        help="fact, preference, error, skill, note, reminder, …",
        autocompletion=categories,
    ),
]
Tags = Annotated[list[str] | None, typer.Option("--tag", "-t", help="A tag; may be repeated.")]
Entities = Annotated[
    list[str] | None,
    typer.Option(
        "--entity", "-e", help="Who or what it is about, such as person:ana; may be repeated."
    ),
]
Bases = Annotated[
    list[str] | None,
    typer.Option(
        help=(
            "Id of an item that it rests on; may be repeated. Once that holds no more, this"
            " is unconfirmed."
        )
    ),
]
DueAt = Annotated[
    str | None, typer.Option(help="When it is due: ISO 8601, or words such as tomorrow.")
]
Sensitive = Annotated[bool, typer.Option("--sensitive", help="Only shown when asked for.")]
MessagesFile = Annotated[
    str,
    typer.Argument(
        help="Messages as a JSON array, or one JSON object a line; - reads standard input."
    ),
]
Private = Annotated[
    bool, typer.Option("--private", help="Let them be seen from within their session only.")
]
FromChannel = Annotated[
    str,
    typer.Option(
        help=(
            "Where they come from, such as mail: who is linked there is the user of what they said."
        )
    ),
]
StatementsFile = Annotated[
    str,
    typer.Argument(
        help="Statements as a JSON array, or one JSON object a line; - reads standard input."
    ),
]
PreviewUndo = Annotated[
    bool, typer.Option("--preview", help="Only show what it would take back and keep.")
]
ToolArgs = Annotated[
    str, typer.Option(help='What it was given, as a JSON object such as {"city": "Lisbon"}.')
]
ToolResult = Annotated[str, typer.Option(help="What it gave.")]
ToolError = Annotated[
    str | None, typer.Option(help="What went wrong; if not given, the call succeeded.")
]
ToolTook = Annotated[float | None, typer.Option(help="Milliseconds it took.")]
OnlyArgNames = Annotated[
    bool, typer.Option("--sensitive", help="Keep only the names of its arguments.")
]
Threads = Annotated[int, typer.Option(min=1, max=64, help="How many jobs at a time.")]
UntilIdle = Annotated[
    bool, typer.Option("--until-idle", help="Stop when nothing is left to do now.")
]
Upstream = Annotated[str, typer.Option(help="The service, such as https://api.openai.com/v1.")]
Port = Annotated[int, typer.Option(min=0, max=65_535, help="0: any free port.")]
Host = Annotated[str, typer.Option(help="The address to listen on; other machines reach 0.0.0.0.")]
OnlyDead = Annotated[bool, typer.Option("--dead", help="Only those that failed for good.")]
ShownMost = Annotated[int, typer.Option(help="How many to show.")]
Incognito = Annotated[bool, typer.Option("--incognito", help="Write nothing of this conversation.")]
NewChat = Annotated[
    bool, typer.Option("--new", help="Start a new conversation; do not resume the last one.")
]
Session = Annotated[
    str | None,
    typer.Argument(
        help="Id of the session, as omoide sessions list shows it; else the one named before."
    ),
]
RecordedSince = Annotated[
    str | None, typer.Option(help="Only what was recorded or changed after this moment, or day.")
]
RecordedUntil = Annotated[
    str | None, typer.Option(help="Only what was recorded or changed up to this moment or day.")
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
    typer.Option(
        help="File of the store, or postgresql://…; if not given, memory.db in the home folder."
    ),
]
User = Annotated[
    str | None,
    typer.Option("--user", "-u", help="Whose memory it is; for good: omoide config user NAME."),
]
Agent = Annotated[str | None, typer.Option(help="Which agent's memory it is.")]
Tenant = Annotated[str | None, typer.Option(help="Tenant, where several share a store.")]
InSession = Annotated[str | None, typer.Option(help="Session it happens in.")]
InContext = Annotated[
    str | None, typer.Option("--context", help="Context that new items belong to, such as work.")
]
Shared = Annotated[bool, typer.Option("--shared", help="Everybody's: no user is meant.")]
Version = Annotated[
    bool,
    typer.Option(
        "--version", callback=show_version, is_eager=True, help="Show the version and exit."
    ),
]
AnyRecordId = Annotated[
    str,
    record_id("An item, with all its versions, a turn or a proposal.", "item", "proposal"),
]
