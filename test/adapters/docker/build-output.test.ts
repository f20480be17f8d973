import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createBuildOutput } from '../../../adapters/docker/build-output.ts';
import { createRedactor } from '../../../domain/logs/redact.ts';

const FILE = 'FROM alpine\nRUN one\nRUN two\n';
const LINES = 40_000;
const FILL = 'x'.repeat(2_000);
const MIB = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');
const heapBytes = (): number => {
  collect();
  return process.memoryUsage().heapUsed;
};

/** What a program may write, with the legacy builder as it is, and with BuildKit behind 16 KiB of something else. */
const FLOODS: Readonly<Record<string, (index: number) => string>> = {
  'steps of the legacy builder': (index) => `Step 1/2 : ${index} ${FILL}`,
  'steps of BuildKit': (index) => `#${index} [1/2] ${index} ${FILL}`,
  'failures of BuildKit': (index) => `#${index} ERROR: ${index} ${FILL}`,
};

describe('the output of a build', () => {
  for (const [name, lineOf] of Object.entries(FLOODS)) {
    it(`takes a bounded amount of memory when a program writes ${LINES} lines that read like ${name}`, () => {
      const output = createBuildOutput(FILE);
      const before = heapBytes();
      for (let index = 0; index < LINES; index += 1) output.take(Buffer.from(lineOf(index)).toString());
      assert.ok(heapBytes() - before < 20 * MIB, `${Math.round((heapBytes() - before) / MIB)} MiB`);
      assert.equal(typeof output.failure().lastLines.length, 'number');
    });
  }

  it('reads no step where its numbers are longer than BuildKit prints, which would keep the worker busy', () => {
    const output = createBuildOutput(FILE);
    for (const place of [`1/${'2'.repeat(10)}`, `${'1'.repeat(40_000)}/2`, `${'a'.repeat(300)} 1/2`]) {
      output.take(`#5 [${place}] RUN one`);
    }
    output.take('#5 ERROR: process "/bin/sh -c one" did not complete successfully: exit code: 1');
    assert.equal(output.failure().instruction, null);
  });

  it('tells the instruction that failed with BuildKit, and its own last lines', () => {
    const output = createBuildOutput(FILE);
    for (const line of ['#5 [2/3] RUN one', '#6 [3/3] RUN two', '#5 0.1 a', '#6 0.2 b']) output.take(line);
    output.take('#6 ERROR: context canceled');
    output.take('#5 ERROR: process "/bin/sh -c one" did not complete successfully: exit code: 1');
    const { instruction, line, ofProgram, lastLines } = output.failure();
    assert.deepEqual({ instruction, line, ofProgram }, { instruction: 'RUN one', line: 2, ofProgram: true });
    assert.match(lastLines.join('\n'), /^a\nprocess/);
  });

  it("tells the builder's own words of a failure apart from what a program wrote", () => {
    const output = createBuildOutput(FILE);
    output.take('#5 [2/3] COPY a b');
    output.take('#5 0.1 no space left on device, says a program');
    output.take('#5 ERROR: failed to copy files: no space left on device');
    const { ofProgram, builderSays } = output.failure();
    assert.deepEqual([ofProgram, builderSays], [false, 'failed to copy files: no space left on device']);
  });

  it('shows no beginning of a secret where it shortens lines, and says how a long command exited', () => {
    const secret = 'hunter22 is not all';
    const redact = createRedactor({ secrets: [secret] });
    for (let before = 440; before < 505; before += 1) {
      const output = createBuildOutput(FILE);
      const long = `${'a '.repeat(before / 2)}${secret} and more`;
      output.take('#5 [2/3] RUN one');
      output.take(`#5 0.1 ${long}`);
      output.take(`#5 ERROR: process "${long}" did not complete successfully: exit code: 7`);
      const { lastLines } = output.failure();
      const shown = lastLines.flatMap((line) => line.split('\n').map(redact));
      assert.equal(shown.at(-1), 'exit code: 7');
      assert.ok(!/hunt|is not|all/.test(shown.join('\n')), shown.join('\n'));
    }
  });

  it('tells the instruction without its mounts, which are of the platform, and its line by them', () => {
    const flags = '--mount=type=cache,id=svc_1/prod/npm,target=/caches/packages --mount=type=secret,id=a';
    const output = createBuildOutput(`FROM alpine\nRUN ${flags} npm ci\n`);
    for (const line of [`#5 [2/2] RUN ${flags} npm ci`, '#5 ERROR: executor failed running']) output.take(line);
    const { instruction, line } = output.failure();
    assert.deepEqual({ instruction, line }, { instruction: 'RUN npm ci', line: 2 });
  });

  it('tells the instruction that failed with the legacy builder', () => {
    const output = createBuildOutput(FILE);
    for (const line of ['Step 2/3 : RUN one', 'a', 'Step 3/3 : RUN two', 'b']) output.take(line);
    const { instruction, line, lastLines } = output.failure();
    assert.deepEqual({ instruction, line, lastLines }, { instruction: 'RUN two', line: 3, lastLines: ['b'] });
  });

  it('tells the line that named the error first, and none of the stack that follows it', () => {
    const output = createBuildOutput('FROM node\nRUN npm run build\n');
    const cause = '[11ty] Could not load the "sharp" module using the linux-x64 runtime';
    const frames = Array.from({ length: 40 }, (_, index) => `[11ty]     at load (node:internal/a:${index}:1)`);
    const printed = ['> build', '[11ty] Writing a.html', `[11ty] 1. Error: x: ${cause}`, ...frames, '[11ty] Copied 3'];
    const end = '#5 ERROR: process "/bin/sh -c npm run build" did not complete successfully: exit code: 1';
    for (const line of ['#5 [2/2] RUN npm run build', ...printed.map((text) => `#5 1.0 ${text}`), end]) {
      output.take(line);
    }
    const { lastLines } = output.failure();
    assert.match(lastLines[0] ?? '', /Could not load the "sharp" module/);
    assert.ok(lastLines.includes('[11ty] Copied 3'));
    assert.deepEqual(
      lastLines.filter((line) => line.includes('at load')),
      [],
    );
  });

  it('tells what to do where the output shows it, also above what the package manager says of the failure', () => {
    const output = createBuildOutput('FROM node\nRUN npm run build\n');
    const printed = ["a.ts(1,7): error TS2322: Type 'string' is not assignable.", ...Array(10).fill('npm error more')];
    const end = '#5 ERROR: process "/bin/sh -c npm run build" did not complete successfully: exit code: 2';
    for (const line of ['#5 [2/2] RUN npm run build', ...printed.map((text) => `#5 1.0 ${text}`), end])
      output.take(line);
    assert.match(output.failure().remedy ?? '', /^TypeScript finds errors/);
  });
});
