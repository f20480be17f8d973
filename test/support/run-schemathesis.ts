import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../infra/dev/tools/run-program.ts';
import { toolPath } from './tool-path.ts';

/** What has to hold of every answer: no 5xx but those that the check leaves out, and nothing that the document does not have. */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];
/** Of each operation. */
const EXAMPLES = 10;
const RUN_MS = 400_000;

export interface SchemathesisRun {
  /** Where the service answers, whose document is read there. */
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Fixed values of parameters, by place and name, such as `path.domain`; others are made up. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Only these paths, as the document writes them. */
  readonly paths?: readonly string[];
  /** What the document gives, its bounds one by one, and what is made up; all of them by default. */
  readonly phases?: readonly ('examples' | 'coverage' | 'fuzzing')[];
}

const PHASES = ['examples', 'coverage', 'fuzzing'] as const;

/**
 * Sends requests that the document of a service allows, and others. The same each time.
 * @throws Error with what it found, and the requests that show it
 */
export async function runSchemathesis(run: SchemathesisRun): Promise<void> {
  const { address, headers, parameters = {}, paths = [], phases = PHASES } = run;
  const program = await toolPath('schemathesis');
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-schemathesis-'));
  try {
    const fixed = Object.entries(parameters).map(([name, value]) => `"${name}" = ${JSON.stringify(value)}`);
    await writeFile(join(folder, 'config.toml'), ['[parameters]', ...fixed, ''].join('\n'));
    await runProgram(
      program,
      [
        ...['--config-file', 'config.toml', 'run', `${address}/openapi.json`, '--no-color', '--workers', '1'],
        ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
        ...paths.flatMap((path) => ['--include-path', path]),
        ...['--phases', phases.join(','), '--max-examples', String(EXAMPLES), '--seed', '1'],
        ...['--checks', CHECKS.join(',')],
      ],
      // It keeps examples in the folder that it is run in.
      { cwd: folder, env: { HOME: folder }, timeoutMs: RUN_MS, keepOutput: true },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Why it cannot be run here; false where it can. */
export async function schemathesisMissing(): Promise<string | false> {
  return await toolPath('schemathesis').then(
    () => false,
    () => 'Schemathesis cannot be installed here',
  );
}
