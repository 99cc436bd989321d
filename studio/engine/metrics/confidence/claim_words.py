"""The words by which an English sentence says that something was done, was not done, and so on."""

import re

_PAST = (
    r"(?:\w+(?<!e)ed|sent|made|done|found|set|put|paid|built|written|given|taken|sold|bought|run|"
    r"gone|kept|left|held|told|shown|begun|cut|reset|rebuilt)"
)
_WORK = (
    r"(?:it|this|that|which|request|attempt|operation|call|tool|command|test|query|search|upload|"
    r"payment|login|update|booking|deployment|build|installation|transaction|transfer|order|"
    r"cancellation|export|import|migration|process|job|task|script|connection|verification|"
    r"authentication|refund)s?"
)
_NOT = r"(?:n['’]t|\snot)"
DENIED = re.compile(
    r"\b(?:i|we)(?:['’]m|\sam|\sare|\swas|\swere)?\s(?:\w+\s){0,2}?"
    r"(?:can['’]?t|cannot|can\snot|could\snot|couldn['’]t|unable|not\s(?:\w+\s)?able|not\s(?:allowed|"
    r"permitted|sure|certain)|failed|do(?:es)?\snot|don['’]t|did\snot|didn['’]t|have\sno|won['’]t|"
    r"will\snot|refuse|must\sdecline|have\snot|haven['’]t|tried\sto|stopped|gave\sup)\b"
    rf"|\b(?:was|were|is|are){_NOT}\s(?:\w+\s)?able\b|\bunable\sto\b"
    r"|\bnot\s(?:been\s)?(?:possible|successful|available|completed|found|working)\b"
    rf"|\b(?:was|were|is|are|has|have|had){_NOT}\s(?:yet\s)?(?:been\s)?(?:\w+ly\s)?{_PAST}\b"
    rf"|\b(?:could{_NOT}|can['’]t|cannot|can\snot)\sbe\s(?!undone|reversed|restored){_PAST}\b"
    rf"|\b(?:did|does|do){_NOT}\s(?:go\sthrough|work|succeed|complete|finish)\b"
    r"|\bno\s(?:\w+\s){1,3}(?:was|were|is|are|could\sbe)\s(?:found|available|returned)\b"
    rf"|\b{_WORK}\s(?:has\s|have\s|still\s)?(?:failed|fails?)\b"
    r"|\b(?:unsuccessful(?:ly)?|went\swrong|gave\sup|timed\sout|aborted|access\sdenied|permission\s"
    r"denied|partial(?:ly)?|partly|unfortunately|no\sanswer)\b"
    r"|\b(?:an|the|some)\serrors?\s(?:occurred|was|were|has|prevented)\b"
    r"|\b(?:returned|got|with|gave)\s(?:an|the|some)\serrors?\b"
    r"|\bnot\s(?:yet\s)?(?:done|finished|complete|ready)\b|\bi\sdon['’]?t\sknow\b",
    re.IGNORECASE,
)
OVERCOME = re.compile(
    r"\b(?:at\sfirst|initially|first\sattempt|earlier|before\sthat)\b"
    r"|\b(?:but|however|then)\b.{0,60}\b(?:succeeded|worked|done|successfully|managed)\b"
    rf"|\bdid{_NOT}\s(?:find|see|notice|detect|meet|encounter)\sany\s(?:\w+\s)?(?:problem|issue|"
    r"error|fault|mistake)s?\b",
    re.IGNORECASE,
)
_NOT_YET = (
    r"(?<!\bbe\s)(?<!\bto\s)(?<!\bnot\s)(?<!n't\s)(?<!n’t\s)(?<!\bonce\s)(?<!\bwhen\s)(?<!\bif\s)"
    r"(?<!\bis\s)(?<!\buntil\s)(?<!\bare\s)(?<!\bgetting\s)"
)
DONE = re.compile(
    rf"\b(?:has|have)\s(?:now\s|already\s|just\s|all\s)?been\s(?:\w+ly\s)?{_PAST}\b"
    rf"|\b(?:i|we)(?:['’]ve|\shave)?\s(?:now\s|already\s|just\s|also\s|\w+ly\s)?(?!start)"
    rf"{_PAST}\b"
    rf"|\b(?:was|were)\s(?:now\s|already\s|just\s|also\s)?(?:\w+ly\s)?{_PAST}\b"
    rf"|{_NOT_YET}\bsuccessful(?:ly)?\b"
    r"|^(?:\w+\s)?(?:done|finished|fixed|completed?|all\sset|success|it\sworked)\b"
    r"|\b(?:is|are|['’]re)\s(?:now\s|all\s)?(?:done|complete|completed|finished|fixed|all\sset)\b",
    re.IGNORECASE,
)
CONDITION = re.compile(r"\b(?:once|if|when|after|until|as\ssoon\sas|would|should|will)\b", re.I)
PLANNED = re.compile(
    r"\b(?:i|we)(?:['’]ll|\swill|\sam\sgoing\sto|['’]m\sgoing\sto|\sare\sgoing\sto)\b"
    r"|\blet\sme\b|\b(?:i|we)(?:['’]m|['’]re|\sam|\sare)\s(?:now\s|currently\s)?\w+ing\b"
    r"|\b(?:is|are)\s(?:now\s|currently\s)?being\b|\bpending\b"
    r"|\b(?:in\sprogress|working\son|please\swait|hold\son|one\smoment|started\sto)\b"
    r"|\b(?:i|we)(?:['’]ve|\shave)?\sstarted\b|\bwill\sbe\b|\bnext\sstep\b",
    re.IGNORECASE,
)
ASKED = re.compile(
    r"\bplease\s(?:provide|confirm|specify|tell|give|share|send|enter|clarify|choose|select|let\sme)\b"
    r"|\b(?:i|we)(?:['’]d|\swould|\sstill)?\s(?:need|require)\s(?:your|the|more|some|a\sfew|to\sknow)\b",
    re.IGNORECASE,
)
POLITE = re.compile(
    r"\b(?:anything|something|else|more\squestions|other\squestions|further)\b", re.IGNORECASE
)
