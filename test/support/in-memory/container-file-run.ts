import { setTimeout as delay } from 'node:timers/promises';
import { Copy, DockerfileParser } from 'dockerfile-ast';
import { FairleadError } from '../../../domain/errors.ts';

/** What a container file is carried out with. */
export interface ContainerFileRun {
  readonly text: string;
  /** Whether a path of the build context exists. */
  readonly exists: (path: string) => boolean;
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
}

const KNOWN = new Set([
  ...['FROM', 'RUN', 'COPY', 'ADD', 'WORKDIR', 'USER', 'ENV', 'ARG', 'EXPOSE', 'CMD', 'ENTRYPOINT', 'LABEL'],
  ...['HEALTHCHECK', 'VOLUME', 'STOPSIGNAL', 'SHELL', 'ONBUILD'],
]);

/**
 * Carries out as much of a container file as tests need: COPY looks whether its sources are there; of RUN, `echo`,
 * `sleep` and `exit` do what they say, and everything else succeeds.
 * @throws IMAGE_BUILD_FAILED naming instruction and line, or the abort reason
 */
export async function runContainerFile(run: ContainerFileRun): Promise<void> {
  const instructions = DockerfileParser.parse(run.text).getInstructions();
  for (const instruction of instructions) {
    const keyword = instruction.getKeyword();
    const line = instruction.getRange().start.line + 1;
    if (!KNOWN.has(keyword)) throw failed(line, 'could not be built', `unknown instruction: ${keyword}`);
  }
  for (const instruction of instructions) {
    run.signal.throwIfAborted();
    const keyword = instruction.getKeyword();
    const words = (instruction.getRawArgumentsContent() ?? '').replace(/\\\n\s*/g, ' ');
    const shown = `${keyword} ${words}`;
    const line = instruction.getRange().start.line + 1;
    run.onLine(shown);
    const fromContext = instruction instanceof Copy && instruction.getFromFlag() === null;
    const problem = fromContext ? missingSource(words, run) : keyword === 'RUN' ? await shell(words, run) : null;
    if (problem !== null) throw failed(line, `failed: ${shown}`, problem);
  }
}

function missingSource(words: string, { exists }: ContainerFileRun): string | null {
  const sources = words.split(/\s+/).slice(0, -1);
  const missing = sources.find((source) => !/[*?[]/.test(source) && !exists(source));
  return missing === undefined ? null : `${missing}: not found`;
}

/** What went wrong, with the output before it; null when all went well. */
async function shell(words: string, { onLine, signal }: ContainerFileRun): Promise<string | null> {
  const output: string[] = [];
  for (const command of words.split(/&&|;/).map((part) => part.trim())) {
    const [name = '', ...given] = command.split(/\s+/);
    if (name === 'echo') {
      output.push(given.join(' '));
      onLine(given.join(' '));
    }
    if (name === 'sleep') await sleep(Number(given[0]), signal);
    if (name === 'exit' && given[0] !== '0') return [...output, `exit code: ${given[0]}`].join('\n');
  }
  return null;
}

async function sleep(seconds: number, signal: AbortSignal): Promise<void> {
  await delay(seconds * 1_000, undefined, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error;
  });
}

function failed(line: number, what: string, output: string): FairleadError {
  return new FairleadError('IMAGE_BUILD_FAILED', `Line ${line} of the container file ${what}\n${output}`);
}
