import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../../infra/dev/project.ts';

/** Variables that nobody sets by hand, and who does. */
const SET_BY: Readonly<Record<string, string>> = {
  BASE_IMAGE_STAND_INS: 'the stack, where no public image can be pulled',
  BUILD_PROXY_SOCKET: 'the stack',
  FAIRLEAD_IDP_URL: 'nobody: the API names its identity provider',
  FAIRLEAD_SITE_REGISTRY_URL: 'nobody: no command asks the site registry',
  DOCKER_CLI: 'the stack, with the client that it found',
  PARTS_ON_NEED: 'the stack, with the parts that it starts when they are asked for',
  PLATFORM_COMMIT: 'the stack, with the commit that it runs',
  PLATFORM_SOCKET: 'the stack',
  REGISTRY_DELETIONS: 'the stack, for its own registry',
  STACK_ID: 'the stack',
  WORKFLOW_BUNDLE: 'the stack, which bundles the workflows once',
};

/** Of the operating system and of terminals, which the command line reads. */
const OF_THE_SYSTEM: ReadonlySet<string> = new Set([
  'DISPLAY',
  'NO_COLOR',
  'SSH_CONNECTION',
  'SSH_TTY',
  'WAYLAND_DISPLAY',
]);

describe('variables of the programs', () => {
  const pages = globSync(['README.md', '{cli,infra,api}/README.md', 'docs/**/*.md'], { cwd: projectRoot });
  const text = pages.map((page) => readFileSync(join(projectRoot, page), 'utf8')).join('\n');
  const names = new Set<string>();
  before(async () => {
    for (const file of globSync('adapters/env/*.ts', { cwd: projectRoot })) {
      const exported = (await import(pathToFileURL(join(projectRoot, file)).href)) as Record<string, unknown>;
      for (const [name, section] of Object.entries(exported)) {
        if (name.endsWith('Section')) for (const variable of Object.keys(section as object)) names.add(variable);
      }
    }
  });

  it('are named in a page, unless the stack sets them', () => {
    assert.ok(names.size > 100, `${names.size}`);
    const isNamed = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(text);
    const missing = [...names].filter((name) => !(name in SET_BY) && !OF_THE_SYSTEM.has(name) && !isNamed(name));
    assert.deepEqual(missing.sort(), []);
  });

  it('that the stack sets are read by a program', () => {
    assert.deepEqual(
      Object.keys(SET_BY).filter((name) => !names.has(name)),
      [],
    );
  });
});
