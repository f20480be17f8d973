import { DockerfileParser } from 'dockerfile-ast';
import { isStackFrame, namesError } from '../../domain/deploys/error-lines.ts';
import { remedyOf } from '../../domain/deploys/failure-remedies.ts';
import { cutBeforeRedaction } from '../../domain/logs/cut-line.ts';

/** What is known of a failed build from its output. */
export interface BuildFailure {
  /** Such as `RUN npm ci`, without its mounts; null when no instruction of the container file was reached. */
  readonly instruction: string | null;
  /** Line of the container file, from 1; null when it is not known. */
  readonly line: number | null;
  /** An instruction's program ended with a failure: whatever it wrote, the engine was there. */
  readonly ofProgram: boolean;
  /**
   * Where the failing instruction first named an error, and its last lines, without those of stacks; or the client's own
   * last words. Not redacted, and cut.
   */
  readonly lastLines: readonly string[];
  /** What to do about it, where its output tells; null otherwise. */
  readonly remedy: string | null;
  /** What the builder itself says of the failing instruction; null when it names none. */
  readonly builderSays: string | null;
}

/** A cause may stand above what a package manager says of the failure. */
const KEPT_LINES = 24;
const SHOWN_LINES = 5;
const FIRST_LINES = 3;
const KEPT_CHARACTERS = 500;
/** More than a container file has instructions. Programs can write lines that read like the builder's own. */
const MAX_STEPS = 1_000;

/**
 * BuildKit's plain progress: `#7 [build 2/5] RUN npm ci`, `#7 1.204 text`, `#7 ERROR: …`. The repeats in the brackets are
 * bounded: a program's line of digits would keep the worker busy.
 */
const STEP_NAME = /^#(\d+) \[[^\]]{0,200}?\d{1,9}\/\d{1,9}\] (.+)$/;
const STEP_OUTPUT = /^#(\d+) \d+\.\d+ (.*)$/;
const STEP_ERROR = /^#(\d+) ERROR: (.+)$/;
/** The legacy builder: `Step 3/7 : RUN npm ci`. */
const LEGACY_STEP = /^Step \d+\/\d+ : (.+)$/;
const REPORTED_LINE = /(?:^Dockerfile\S*:|parse error (?:on )?line )(\d+)/i;
/** What BuildKit, older and newer, and the legacy builder say of a program that failed. */
const PROGRAM_FAILED = /^#\d+ ERROR: (?:executor failed running|process ")|^The command '/;
const NOISE = /^#\d+ sha256:[0-9a-f]{64}|^#\d+ extracting sha256|^\s*$/;

interface Step {
  readonly name: string;
  /** The first line that names an error, and those after it. */
  readonly first: string[];
  /** The last lines. */
  readonly output: string[];
}

interface BuildOutput {
  /** Takes one line. False when it is noise that needs no showing. */
  take(line: string): boolean;
  failure(): BuildFailure;
}

/** Follows the output of a build line by line and remembers what a failure is told from. */
export function createBuildOutput(containerFile: string): BuildOutput {
  const steps = new Map<string, Step>();
  const tail: string[] = [];
  let legacy: Step | undefined;
  let failed: { readonly step: Step; readonly text: string } | undefined;
  let reported: number | null = null;
  let ofProgram = false;
  const begin = (id: string, name: string): void => {
    if (!steps.has(id) && steps.size < MAX_STEPS) steps.set(id, newStep(name));
  };
  const fail = (id: string, text: string): void => {
    const step = steps.get(id);
    // Steps that were cancelled because another one failed come with the same mark.
    if (step !== undefined && !/context canceled/.test(text)) failed ??= { step, text: shortened(text) };
  };
  const rules: readonly (readonly [RegExp, (first: string, second: string) => void])[] = [
    [STEP_NAME, begin],
    [STEP_OUTPUT, (id, text) => keepOf(steps.get(id), text)],
    [STEP_ERROR, fail],
    [LEGACY_STEP, (name) => (legacy = newStep(name))],
    [REPORTED_LINE, (line) => (reported = Number(line))],
  ];
  const take = (line: string): boolean => {
    if (NOISE.test(line)) return false;
    ofProgram ||= PROGRAM_FAILED.test(line);
    keep(tail, line);
    keepOf(legacy, line);
    for (const [pattern, note] of rules) {
      const match = pattern.exec(line);
      if (match) note(match[1] ?? '', match[2] ?? '');
    }
    return true;
  };
  const failure = (): BuildFailure => {
    const step = failed?.step ?? legacy;
    const builderSays = failed?.text ?? null;
    const said = builderSays === null ? [] : [builderSays];
    const output = [...(step?.first ?? []), ...(step?.output ?? tail), ...said];
    const common = { ofProgram, builderSays, remedy: ofProgram ? remedyOf('build', output) : null };
    if (step === undefined) return { instruction: null, line: reported, lastLines: tail.slice(-3), ...common };
    const lastLines = [...tellingLines(step), ...said];
    return {
      instruction: withoutMounts(step.name),
      line: findLine(containerFile, step.name) ?? reported,
      lastLines,
      ...common,
    };
  };
  return { take, failure };
}

/** The platform adds mounts of its own, which say nothing about the failure. */
function withoutMounts(instruction: string): string {
  return instruction.replace(/^(RUN )(?:--mount=\S+ )+/i, '$1');
}

function newStep(name: string): Step {
  return { name, first: [], output: [] };
}

function keepOf(step: Step | undefined, line: string): void {
  if (step === undefined) return;
  const isFirst = step.first.length === 0 ? namesError(line) : step.first.length < FIRST_LINES && !isStackFrame(line);
  if (isFirst) step.first.push(cut(line));
  keep(step.output, line);
}

/** The cause stands where an error was named first; the last lines often are a stack, or say only that something failed. */
function tellingLines({ first, output }: Step): readonly string[] {
  const last = output.filter((line) => !isStackFrame(line)).slice(-SHOWN_LINES);
  const above = first.filter((line) => !last.includes(line));
  return above.length === 0 ? last : [...above, '…', ...last];
}

function keep(lines: string[], line: string): void {
  lines.push(cut(line));
  if (lines.length > KEPT_LINES) lines.shift();
}

/** A copy, which does not hold all of an overlong line in memory. */
function cut(line: string): string {
  return line.length <= KEPT_CHARACTERS ? line : Buffer.from(cutBeforeRedaction(line, KEPT_CHARACTERS)).toString();
}

/** BuildKit repeats the whole command, and says at the end how it exited. */
function shortened(text: string): string {
  const exit = /exit code: \d+$/.exec(text)?.[0];
  return text.length <= KEPT_CHARACTERS || exit === undefined ? cut(text) : `${cut(text)}\n${exit}`;
}

/** The line on which an instruction stands; null when none, or more than one, reads like that. */
function findLine(containerFile: string, shown: string): number | null {
  const wanted = normalise(shown);
  const lines = DockerfileParser.parse(containerFile)
    .getInstructions()
    .filter((instruction) => {
      const keyword = instruction.getKeyword();
      return normalise(keyword + instruction.getTextContent().slice(keyword.length)) === wanted;
    })
    .map((instruction) => instruction.getRange().start.line + 1);
  return lines.length === 1 ? (lines[0] ?? null) : null;
}

function normalise(text: string): string {
  return text
    .replace(/[\\`]\r?\n/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
