/** What is new in a release, as its changelog shows it (spec 3, "Changelog flow"). */
export interface ReleaseNotes {
  /** Markdown. */
  readonly notes: string;
  readonly version: string | null;
}

/** Takes the secrets out of a text; see domain/logs/redact.ts. */
type Redact = (text: string) => string;

/** Notes travel from step to step with the facts of a build, which are a few kilobytes in all. */
export const MOST_CHARACTERS = 3_000;
/** The newest commits since the last deploy that notes are made of. */
export const MOST_COMMITS = 30;
const MOST_VERSION_CHARACTERS = 100;
const CUT = '\n…';
const HEADING = /^##[ \t]+(?!#)(.*)$/;
const VERSION = /\bv?(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)/;

/**
 * The newest section of a CHANGELOG.md that says something: from its `## ` heading, of which the version is taken, to the
 * next. A file without such headings is taken as a whole. Null for one that says nothing.
 */
export function notesOfChangelog(text: string, redact: Redact): ReleaseNotes | null {
  const lines = text.split(/\r?\n/);
  const headings = lines.flatMap((line, index) => (HEADING.test(line) ? [index] : []));
  const wholly = (part: readonly string[]) => redact(withoutControls(part.join('\n')));
  if (headings.length === 0) return notesOf(wholly(lines.filter((line) => !/^#[ \t]/.test(line))), null);
  for (const [number, start] of headings.entries()) {
    const found = notesOf(wholly(lines.slice(start + 1, headings[number + 1])), versionOf(lines[start] ?? ''));
    if (found !== null) return found;
  }
  return null;
}

/** Null for a heading without one, and for one too long to travel with a build. */
function versionOf(heading: string): string | null {
  const version = VERSION.exec(heading)?.[1] ?? null;
  return version === null || version.length > MOST_VERSION_CHARACTERS ? null : version;
}

/**
 * The subjects of commits, newest first, as a list of plain text. Null for none. Whoever may push writes them: each stays one
 * line, and what marks code, links and images up is taken out.
 */
export function notesOfCommits(subjects: readonly string[], redact: Redact): ReleaseNotes | null {
  const lines = subjects.map((subject) => plainLine(subject, redact)).filter((line) => line !== '');
  return notesOf(lines.map((line) => `- ${line}`).join('\n'), null);
}

/**
 * Format characters reorder a line, or hide what stands in it. Redacted without them, and before marks are taken out: a
 * secret may hold some, and the mark of a redaction before a bracket would begin a link.
 */
function plainLine(subject: string, redact: Redact): string {
  const line = redact(subject.replace(/\s+/gu, ' ').replace(/[\p{Cc}\p{Cf}]/gu, ''));
  // At the begin of a list item, these would begin a heading, a quote or another list.
  const begun = line.replace(/^[\s#>+*=~|-]+/, '');
  return begun.replace(/[`<>]|!?\[|\]\(?/g, replaceMark).trim();
}

function replaceMark(mark: string): string {
  if (mark === '<' || mark === '>') return mark === '<' ? '‹' : '›';
  if (mark === '`') return "'";
  return mark.endsWith('[') ? '(' : ')';
}

/** Whoever shows the notes may have a terminal, which obeys control characters. */
function withoutControls(text: string): string {
  return text.replace(/(?![\n\t])\p{Cc}/gu, '');
}

/** Cuts what is redacted already: half a secret would not be found. */
function notesOf(text: string, version: string | null): ReleaseNotes | null {
  const notes = text.trim();
  if (notes === '') return null;
  return {
    notes: notes.length > MOST_CHARACTERS ? notes.slice(0, MOST_CHARACTERS - CUT.length) + CUT : notes,
    version,
  };
}
