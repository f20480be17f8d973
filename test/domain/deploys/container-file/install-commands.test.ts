import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeApp } from '../../../../domain/deploys/app/describe-app.ts';

interface Given {
  readonly manifest?: object;
  readonly lockfile?: string;
  readonly texts?: Readonly<Record<string, string>>;
  readonly monorepo?: object;
}

/** How the packages of an app are installed, all three ways, after what prepares it. */
function commandsFor({ manifest = {}, lockfile = 'yarn.lock', texts = {}, monorepo }: Given): readonly string[] {
  const text = JSON.stringify({ scripts: { start: 'node server.js' }, ...manifest });
  const source = {
    files: ['package.json', lockfile, ...Object.keys(texts)],
    texts: { ...texts, 'package.json': text },
  };
  const around = { ...source.texts, 'package.json': JSON.stringify(monorepo), 'apps/web/package.json': text };
  const { commands } = describeApp(
    source,
    { framework: 'express', port: null, healthEndpoint: '/health' },
    monorepo === undefined ? null : { app: 'apps/web', folder: '', source: { ...source, texts: around } },
  );
  return [...commands.prepare, commands.installAll, commands.installProduction, commands.prune ?? ''];
}

const ignored = (commands: readonly string[]): number =>
  commands.filter((line) => line.includes('--ignore-engines')).length;

describe('packages that refuse a Node.js', () => {
  it('are installed by yarn 1 all the same where the app does not get the Node.js it asks for', () => {
    for (const engines of ['14.x', '>=12 <17', '^16.14', '>=20.0.0 <20.6.0', '99']) {
      assert.equal(ignored(commandsFor({ manifest: { engines: { node: engines } } })), 3, engines);
    }
  });

  it('are installed by yarn 1 all the same where nothing names a Node.js, so that the platform chose it', () => {
    assert.equal(ignored(commandsFor({})), 3);
    assert.equal(ignored(commandsFor({ manifest: { engines: { node: 'no range' } } })), 3);
  });

  it('are refused where the app gets what it asks for', () => {
    for (const engines of ['20.x', '>=18', '^22.1.0', '*']) {
      assert.equal(ignored(commandsFor({ manifest: { engines: { node: engines } } })), 0, engines);
    }
    assert.equal(ignored(commandsFor({ texts: { '.nvmrc': 'v22.4.0\n' } })), 0);
  });

  it('are installed where a pinned version gets its newest release, which engines.node does not allow', () => {
    const manifest = { engines: { node: '22.4.0' } };
    assert.equal(ignored(commandsFor({ manifest, texts: { '.nvmrc': '22.4.0' } })), 3);
  });

  it('are installed where the monorepo around an app asks for another Node.js than the app gets', () => {
    const manifest = { engines: { node: '22.x' } };
    assert.equal(
      ignored(commandsFor({ manifest, monorepo: { engines: { node: '16.x' }, workspaces: ['apps/*'] } })),
      3,
    );
    assert.equal(ignored(commandsFor({ manifest, monorepo: { workspaces: ['apps/*'] } })), 0);
  });

  it('are installed by npm and pnpm though the settings of the app would refuse them', () => {
    for (const lockfile of ['package-lock.json', 'pnpm-lock.yaml']) {
      const of = (node: string) =>
        commandsFor({ manifest: { engines: { node } }, lockfile, texts: { '.npmrc': 'engine-strict=true' } });
      assert.ok(of('14').includes('ENV npm_config_engine_strict=false'), lockfile);
      assert.ok(!of('24').includes('ENV npm_config_engine_strict=false'), lockfile);
    }
  });
});

describe('a yarn that packageManager names', () => {
  it('is the newest of its minor version where the package registry lacks it', () => {
    const [install = ''] = commandsFor({ manifest: { packageManager: 'yarn@3.8.4' } }).filter((line) =>
      /^RUN/.test(line),
    );
    assert.match(install, /^RUN npm install .*cli-dist@3\.8\.4 \|\| npm install .*cli-dist@~3\.8$/);
  });
});
