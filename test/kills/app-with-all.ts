import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CliResult } from '../cli/run-cli.ts';
import { type SampleService, sampleService } from '../e2e/sample-service.ts';

/** Makes a deploy call every service of the platform, and what it tells others. */
const spec = (notes: string) => `  auth: { mode: sso }
  routes: [{ path: /orders, methods: [GET], gas: 1, charge: service, auth: required }]
  queues: [{ name: orders }]
  schedules: [{ name: nightly, cron: 0 2 * * * }]
  dependencies: [{ service: ${notes}, scopes: [read] }]
  modules: [{ name: orders }]
  userAccess: { signIn: members, roles: [{ name: clerk }] }
  registration: { title: Order here }
  tests: [{ name: answers, path: / }]
  seo: { enabled: true }`;
const CHANGELOG = '# Changelog\n\n## 1.0.0\n\n- It takes orders.\n';

const SDK = '@fairlead/sdk';

/** Each deploy of an app upgrades to the next one, so that the gate of upgrades looks for it. */
export const SDK_VERSIONS: readonly string[] = Array.from({ length: 40 }, (_, minor) => `1.${minor}.0`);

/** Of one of them in the registry. */
export const entryOf = (version: string): string => `${SDK}@${version}`;

export interface AppWithAll extends Pick<SampleService, 'name' | typeof Symbol.asyncDispose> {
  /** Commits something new. */
  readonly change: () => Promise<void>;
}

type Cli = (...argv: readonly string[]) => Promise<CliResult>;

/** A service by which every step of the matrix acts. It has the scope of `notes`, a service of another org. */
export async function appWithAll(notes: string, cli: Cli): Promise<AppWithAll> {
  const app = await sampleService('killed', { spec: spec(notes) });
  await writeFile(join(app.repository.path, 'CHANGELOG.md'), CHANGELOG);
  const asked = await cli('grants', 'request', notes, 'read', '--service', app.name, '--json');
  await cli('grants', 'approve', JSON.parse(asked.stdout).data.id, '--yes');
  let changes = 0;
  const change = async (): Promise<void> => {
    const manifest = { name: app.name, private: true, type: 'module', dependencies: { [SDK]: SDK_VERSIONS[changes] } };
    changes += 1;
    await writeFile(join(app.repository.path, 'package.json'), JSON.stringify(manifest));
    await app.commit({ spec: spec(notes) });
  };
  // What runs of it ends with the stack.
  return { name: app.name, change, [Symbol.asyncDispose]: () => app.repository[Symbol.asyncDispose]() };
}
