/** A block of shell of a page, with the reply that the page shows for it. */
export interface Step {
  readonly shell: string;
  /** Line of the page where the block begins. */
  readonly line: number;
  /** The JSON block that follows; undefined for none. */
  readonly expected: unknown;
}

const FENCE = /^```(\w*)\n([\s\S]*?)^```$/gm;

/** The `sh` blocks of a Markdown page in order. A `json` block belongs to the `sh` block before it. */
export function readPage(markdown: string): Step[] {
  const steps: { shell: string; line: number; expected: unknown }[] = [];
  for (const { 1: language, 2: text = '', index } of markdown.matchAll(FENCE)) {
    const last = steps.at(-1);
    if (language === 'sh') steps.push({ shell: text, line: lineAt(markdown, index) + 1, expected: undefined });
    if (language === 'json') {
      if (last === undefined || last.expected !== undefined) {
        throw new Error(`line ${lineAt(markdown, index)}: a json block shows the reply of the sh block before it`);
      }
      last.expected = JSON.parse(text);
    }
  }
  return steps;
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length;

/**
 * Where a reply differs from what a page shows, as places such as `.data.keys[0]`; empty when it does not. "…" stands
 * for any value; as the last element of a list or as a field, for more of the same.
 */
export function differences(expected: unknown, actual: unknown, place = ''): string[] {
  if (expected === '…') return actual === undefined ? [`${place}: missing`] : [];
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return [`${place}: no list`];
    const open = expected.at(-1) === '…';
    const shown = open ? expected.slice(0, -1) : expected;
    const count = open ? actual.length >= shown.length : actual.length === shown.length;
    return count
      ? shown.flatMap((one, index) => differences(one, actual[index], `${place}[${index}]`))
      : [`${place}: ${actual.length} elements`];
  }
  if (isObject(expected)) {
    if (!isObject(actual)) return [`${place}: no object`];
    const { '…': open, ...shown } = expected;
    const unknown = Object.keys(actual).filter((name) => !(name in shown));
    return [
      ...(open === undefined ? unknown.map((name) => `${place}.${name}: not on the page`) : []),
      ...Object.entries(shown).flatMap(([name, one]) => differences(one, actual[name], `${place}.${name}`)),
    ];
  }
  return Object.is(expected, actual)
    ? []
    : [`${place}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
