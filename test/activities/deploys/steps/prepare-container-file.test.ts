import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { prepareContainerFile } from '../../../../activities/deploys/steps/prepare-container-file.ts';
import type { BuildFacts } from '../../../../domain/deploys/facts.ts';
import { catalogRecord } from '../../../ports/records.ts';
import { type Given, useDeploy } from '../use-deploy.ts';

const EXPRESS = JSON.stringify({ name: 'hello', scripts: { start: 'node server.js' }, dependencies: { express: '5' } });
const OWN = 'FROM alpine\nEXPOSE 9000\nUSER app\nCMD ["./run"]\n';
const known: BuildFacts = { catalog: catalogRecord(), contextPath: '', dockerfile: null, commitSha: 'c'.repeat(40) };
const unknownFramework: BuildFacts = { ...known, catalog: catalogRecord({ framework: null }) };

/** A build whose source has these files. */
async function withFiles(files: Readonly<Record<string, string>>, given: Given = {}) {
  const deploy = await useDeploy(given);
  for (const [path, text] of Object.entries(files)) deploy.plant(path, text);
  const read = (path: string) => deploy.parts.workspace.readText(deploy.build.buildId, path, 1_000_000);
  return { ...deploy, read };
}

describe('prepare-container-file', () => {
  it('generates one for a known framework, and names image and port', async () => {
    const { parts, attempt, read, build } = await withFiles({ 'package.json': EXPRESS });
    const step = attempt(known);
    const facts = await prepareContainerFile(parts, step);
    const [id, serviceKey] = [build.buildId, build.serviceId].map((one) => one.split('_').at(-1));
    assert.deepEqual(facts, {
      dockerfile: '.fairlead/Dockerfile',
      generatedContainerFile: true,
      port: 3000,
      imageTag: `localhost:5050/hello-${serviceKey}:prod-ccccccc-${id}`,
    });
    assert.match((await read('.fairlead/Dockerfile')) ?? '', /USER 1001/);
    assert.match((await read('.dockerignore')) ?? '', /node_modules/);
    assert.ok(step.lines.includes('Generated a container file for express; it runs on node:24-bookworm-slim'));
  });

  it('works inside the build context, and an image without a commit says that it was uploaded', async () => {
    const { parts, attempt, read } = await withFiles({ 'apps/web/package.json': EXPRESS });
    const { catalog } = known;
    const facts = await prepareContainerFile(parts, attempt({ ...(catalog && { catalog }), contextPath: 'apps/web' }));
    assert.equal(facts.dockerfile, 'apps/web/.fairlead/Dockerfile');
    assert.match(facts.imageTag ?? '', /:prod-upload-/);
    assert.ok((await read('apps/web/.fairlead/Dockerfile')) !== null);
  });

  it('patches the one that the catalog names: its named user becomes a number, its port is taken', async () => {
    const { parts, attempt, read } = await withFiles({ 'ops/Dockerfile': OWN, 'package.json': EXPRESS });
    const step = attempt({ ...known, dockerfile: 'ops/Dockerfile' });
    const facts = await prepareContainerFile(parts, step);
    assert.deepEqual([facts.generatedContainerFile, facts.port], [false, 9000]);
    assert.equal(await read('.fairlead/Dockerfile'), OWN.replace('USER app', 'USER 1001'));
    assert.equal(await read('ops/Dockerfile'), OWN, 'the file of the repository stays as it is');
    assert.ok(step.lines.some((line) => line.includes('USER app became USER 1001')));
  });

  it("a command of the repository's author becomes no flag of RUN, by which it could mount another service's image", async () => {
    const mount = '--mount=type=bind,from=localhost:5050/other-abc:latest,target=/other cp -r /other /app';
    for (const name of ['installCommand', 'buildCommand'] as const) {
      const { parts, attempt, read } = await withFiles({ 'package.json': EXPRESS });
      await prepareContainerFile(parts, attempt({ ...known, catalog: catalogRecord({ [name]: mount }) }));
      const text = (await read('.fairlead/Dockerfile')) ?? '';
      assert.match(text, /^RUN \["\/bin\/sh","-c","--mount=/m, name);
      assert.doesNotMatch(text, /^RUN --mount=type=bind/m, name);
    }
  });

  it('a generated file is checked like one of the repository: nothing in it takes an image of others', async () => {
    const { parts, attempt } = await withFiles({
      'package.json': JSON.stringify({ dependencies: {}, scripts: { build: 'true' } }),
    });
    const folder = 'dist;done\nCOPY --from=localhost:5050/other-abc:latest / /site\nRUN for a in b';
    const catalog = catalogRecord({ framework: 'static', outputFolder: folder });
    await assert.rejects(prepareContainerFile(parts, attempt({ ...known, catalog })), {
      code: 'CONTAINER_FILE_INVALID',
    });
  });

  it('continues without a file that is named and missing, with a warning', async () => {
    const { parts, attempt } = await withFiles({ 'package.json': EXPRESS });
    const step = attempt({ ...known, dockerfile: 'ops/Dockerfile' });
    assert.equal((await prepareContainerFile(parts, step)).generatedContainerFile, true);
    assert.match(step.warnings.join('\n'), /ops\/Dockerfile does not exist/);
  });

  it('a Dockerfile that nobody named is used without a framework, and left aside with a warning beside one', async () => {
    const own = await withFiles({ Dockerfile: OWN });
    const used = await prepareContainerFile(own.parts, own.attempt(unknownFramework));
    assert.deepEqual([used.generatedContainerFile, used.port], [false, 9000]);
    const both = await withFiles({ Dockerfile: OWN, 'package.json': EXPRESS });
    const step = both.attempt(known);
    assert.equal((await prepareContainerFile(both.parts, step)).generatedContainerFile, true);
    assert.match(step.warnings.join('\n'), /Dockerfile is not used/);
    const off = await withFiles(
      { Dockerfile: OWN, 'package.json': EXPRESS },
      { settings: { autoContainerFile: false } },
    );
    assert.equal((await prepareContainerFile(off.parts, off.attempt(known))).generatedContainerFile, false);
  });

  it('a Dockerfile that nobody named is used where none can be generated, and gets a number for a user', async () => {
    const files = {
      Dockerfile: 'FROM node:22\nCMD ["npm", "start"]\n',
      'package.json': '{"dependencies":{"express":"5"}}',
    };
    const { parts, attempt, read } = await withFiles(files);
    const step = attempt(known);
    assert.equal((await prepareContainerFile(parts, step)).generatedContainerFile, false);
    assert.match(step.warnings.join(), /Dockerfile is used, because none can be generated: .*"start" script/);
    assert.match((await read('.fairlead/Dockerfile')) ?? '', /USER 1001\n$/);
  });

  it('a Node.js server of no known framework is generated, and what it is left out is told', async () => {
    const files = { 'package.json': '{"scripts":{"start":"node a.js"}}', 'a.js': '', 'compose.yaml': '' };
    const { parts, attempt } = await withFiles(files);
    const step = attempt(unknownFramework);
    assert.equal((await prepareContainerFile(parts, step)).generatedContainerFile, true);
    assert.ok(step.lines.includes('Start: node a.js (package.json has a start script)'));
    assert.match(step.lines.join('\n'), /compose\.yaml is not used/);
  });

  it('mounts the variables that the build may see, writes them nowhere, and logs their names alone', async () => {
    const { parts, attempt, read, build } = await withFiles({ 'package.json': EXPRESS });
    const seal = (key: string, text: string) => parts.cipher.seal(text, { service: build.service, key });
    const key = { id: build.serviceId, name: build.service, org: 'acme' };
    await parts.services.upsert(key, {
      config: { COLOUR: 'blue', HIDDEN: 'not listed' },
      secrets: { NPM_TOKEN: seal('NPM_TOKEN', 'canary-value'), COLOUR: seal('COLOUR', 'red') },
    });
    const catalog = catalogRecord({ buildEnvVars: ['COLOUR', 'NPM_TOKEN', 'ABSENT'] });
    const step = attempt({ ...known, catalog });
    const { buildEnvId } = await prepareContainerFile(parts, step);
    assert.match(buildEnvId ?? '', /^build-env-[0-9a-f]{16}$/);
    assert.equal(await read('.env.production'), null);
    const mount = `--mount=type=secret,id=${buildEnvId},target=/app/.env.production`;
    assert.ok((await read('.fairlead/Dockerfile'))?.includes(mount));
    const again = await prepareContainerFile(parts, attempt({ ...known, catalog }));
    assert.equal(again.buildEnvId, buildEnvId, 'the same values, so layers can be taken from the cache');
    await parts.services.upsert(key, { secrets: { NPM_TOKEN: seal('NPM_TOKEN', 'canary-value') } });
    const changed = await prepareContainerFile(parts, attempt({ ...known, catalog }));
    assert.notEqual(changed.buildEnvId, buildEnvId, 'set anew, so layers are built anew');
    assert.ok(step.lines.includes('Build-time variables: COLOUR, NPM_TOKEN'));
    assert.ok(![...step.lines, ...step.warnings].join().includes('canary'));
  });

  it('what cannot run, or would run as root, ends the build with its code', async () => {
    const rooted = { Dockerfile: 'FROM mysql\nCMD ["./run"]\n' };
    for (const [files, facts, code] of [
      [{ 'main.py': '' }, unknownFramework, 'CONTAINER_FILE_MISSING'],
      [rooted, unknownFramework, 'CONTAINER_ROOT_USER'],
      [{ Dockerfile: `${rooted.Dockerfile}USER root\n` }, unknownFramework, 'CONTAINER_ROOT_USER'],
      [{ Dockerfile: 'RUN x\n' }, unknownFramework, 'CONTAINER_FILE_INVALID'],
      [{ 'index.js': '' }, known, 'CONTAINER_FILE_INVALID'],
      [{ Dockerfile: `#${' '.repeat(300_000)}` }, unknownFramework, 'SOURCE_REFUSED'],
    ] as const) {
      const { parts, attempt } = await withFiles(files);
      await assert.rejects(prepareContainerFile(parts, attempt(facts)), { code, retryable: false }, code);
    }
  });

  it('a link of the repository cannot have a file written outside', async () => {
    const { parts, attempt, build } = await withFiles({ 'package.json': EXPRESS });
    const source = parts.workspace.directory(build.buildId);
    parts.files.put('/outside/file', { kind: 'file', text: 'untouched', mode: 0o644 });
    parts.files.put(`${source}/.fairlead`, { kind: 'link', target: '/outside' });
    await assert.rejects(prepareContainerFile(parts, attempt(known)), { code: 'SOURCE_REFUSED' });
    assert.deepEqual(parts.files.names('/outside'), ['file']);
  });

  it('a second attempt writes the same; without the facts of earlier steps it is INTERNAL', async () => {
    const { parts, attempt, read } = await withFiles({ 'package.json': EXPRESS });
    const first = await prepareContainerFile(parts, attempt(known));
    const text = await read('.fairlead/Dockerfile');
    assert.deepEqual(await prepareContainerFile(parts, attempt(known)), first);
    assert.equal(await read('.fairlead/Dockerfile'), text);
    await assert.rejects(prepareContainerFile(parts, attempt({})), {
      code: 'INTERNAL',
      message: /catalog, contextPath/,
    });
  });
});
