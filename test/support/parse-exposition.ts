import assert from 'node:assert/strict';

/** One line with a value. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly type: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const COMMENT = /^# (HELP|TYPE) (\S+) (.+)$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\["\\n])*)"(,|$)/y;
const VALUE = /^(?:NaN|[+-]Inf|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/i;
const TYPES = ['counter', 'gauge', 'histogram', 'summary'];
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
};

/**
 * Reads the text format 0.0.4 of Prometheus, as strictly as its page has it: one HELP and one TYPE before the samples of each family, all of
 * a family together, each series once, values of counters not negative, buckets of histograms cumulative up to `+Inf`, which is the count.
 * @throws AssertionError naming the line
 */
export function parseExposition(text: string): ReadonlyMap<string, Family> {
  assert.ok(text.endsWith('\n'), 'the last line ends');
  const families = new Map<string, ReadFamily>();
  const series = new Set<string>();
  let current = '';
  for (const line of text.slice(0, -1).split('\n')) {
    if (line.startsWith('#')) current = readComment(families, current, line);
    else if (line !== '') readSample({ name: current, family: families.get(current) }, series, line);
  }
  for (const [name, family] of families) checkFamily(name, family);
  return families;
}

interface ReadFamily {
  type: string;
  help: string;
  readonly samples: Sample[];
}

/** @returns the family that it is of */
function readComment(families: Map<string, ReadFamily>, current: string, line: string): string {
  const [, kind = '', name = '', rest = ''] = COMMENT.exec(line) ?? assert.fail(line);
  assert.match(name, NAME, line);
  if (name !== current) {
    assert.ok(!families.has(name), `${name} is in two places`);
    families.set(name, { type: '', help: '', samples: [] });
  }
  const family = families.get(name) ?? assert.fail(line);
  assert.deepEqual(family.samples, [], `${line}: after its samples`);
  if (kind === 'HELP') {
    assert.equal(family.help, '', line);
    family.help = rest;
  } else {
    assert.ok(TYPES.includes(rest) && family.type === '', line);
    family.type = rest;
  }
  return name;
}

function readSample(
  { name: current, family }: { readonly name: string; readonly family: ReadFamily | undefined },
  series: Set<string>,
  line: string,
): void {
  const [, name = '', labelText = '', value = ''] = SAMPLE.exec(line) ?? assert.fail(line);
  assert.ok(family !== undefined && family.type !== '' && family.help !== '', `${line}: no HELP or TYPE before it`);
  const names = (SUFFIXES[family.type] ?? ['']).map((suffix) => current + suffix);
  assert.ok(names.includes(name), `${line}: not of ${current}`);
  assert.match(value, VALUE, line);
  const labels = readLabels(labelText, line);
  const key = JSON.stringify([name, ...Object.entries(labels).sort()]);
  assert.ok(!series.has(key), `${line}: twice`);
  series.add(key);
  family.samples.push({ name, labels, value: Number(value.replace(/Inf$/i, 'Infinity')) });
}

function readLabels(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const [, name = '', escaped = ''] = LABEL.exec(text) ?? assert.fail(line);
    assert.ok(!(name in labels), `${line}: ${name} twice`);
    labels[name] = escaped.replaceAll(/\\(.)/g, (_, one: string) => (one === 'n' ? '\n' : one));
  }
  return labels;
}

function checkFamily(name: string, { type, samples }: Family): void {
  if (type === 'counter') for (const { value } of samples) assert.ok(value >= 0, `${name} is ${value}`);
  if (type !== 'histogram') return;
  const groups = Map.groupBy(samples, ({ labels: { le: _, ...labels } }) =>
    JSON.stringify(Object.entries(labels).sort()),
  );
  for (const [labels, group] of groups) {
    const buckets = group.filter((one) => one.name === `${name}_bucket`);
    const bounds = buckets.map((one) => Number(one.labels.le?.replace('+Inf', 'Infinity')));
    assert.deepEqual(
      bounds,
      bounds.toSorted((a, b) => a - b),
      `${name}${labels}: bounds`,
    );
    assert.equal(bounds.at(-1), Number.POSITIVE_INFINITY, `${name}${labels}: +Inf`);
    const counts = buckets.map(({ value }) => value);
    assert.deepEqual(
      counts,
      counts.toSorted((a, b) => a - b),
      `${name}${labels}: cumulative`,
    );
    const count = group.find((one) => one.name === `${name}_count`)?.value;
    assert.equal(counts.at(-1), count, `${name}${labels}: +Inf is the count`);
    assert.ok(
      group.some((one) => one.name === `${name}_sum`),
      `${name}${labels}: a sum`,
    );
  }
}

/** The value of one series. @throws AssertionError when there is none, or several */
export function sampleValue(
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const found = samplesOf(families, name).filter((sample) =>
    Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  assert.equal(found.length, 1, `${name} ${JSON.stringify(labels)}: ${JSON.stringify(found)}`);
  return found[0]?.value ?? Number.NaN;
}

/** All samples of a name; none where there is no such family. */
export function samplesOf(families: ReadonlyMap<string, Family>, name: string): readonly Sample[] {
  return [...families.values()].flatMap(({ samples }) => samples.filter((sample) => sample.name === name));
}
