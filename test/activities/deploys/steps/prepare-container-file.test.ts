import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildImage } from '../../../../activities/deploys/steps/build-image.ts';
import { prepareContainerFile } from '../../../../activities/deploys/steps/prepare-container-file.ts';
import type { BuildFacts } from '../../../../domain/deploys/facts.ts';
import type { ImageBuildInput } from '../../../../domain/deploys/image-builder.ts';
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
      newLockfile: '/lockfile/package-lock.json',
      port: 3000,
      imageTag: `localhost:5050/hello-${serviceKey}:prod-ccccccc-${id}`,
    });
    assert.match((await read('.fairlead/Dockerfile')) ?? '', /USER 1001/);
    assert.match((await read('.dockerignore')) ?? '', /node_modules/);
    assert.ok(step.lines.includes('Generated a container file for express; it runs on node:24-bookworm-slim'));
  });

  it('hands on which variables the source tells that it takes', async () => {
    const files = { 'package.json': EXPRESS, '.env.example': 'MYSQL_HOST=localhost\nMYSQL_PASSWORD=' };
    const { parts, attempt } = await withFiles(files);
    const { exampleVariables } = await prepareContainerFile(parts, attempt(known));
    assert.deepEqual(exampleVariables, { file: '.env.example', names: ['MYSQL_HOST', 'MYSQL_PASSWORD'] });
  });

  it('shows the build-time variables to the install that runs scripts of the source, and not to what keeps its lockfile', async () => {
    const scripts = { start: 'node a.js', prepare: 'ln -sf .env.production package-lock.json' };
    const manifest = JSON.stringify({ ...JSON.parse(EXPRESS), scripts });
    const { parts, attempt, read, build } = await withFiles({ 'package.json': manifest });
    const key = { id: build.serviceId, name: build.service, org: 'acme' };
    await parts.services.upsert(key, { config: { COLOUR: 'blue' } });
    await prepareContainerFile(parts, attempt({ ...known, catalog: catalogRecord({ buildEnvVars: ['COLOUR'] }) }));
    const instructions = ((await read('.fairlead/Dockerfile')) ?? '').split('\n');
    const install = instructions.findIndex((line) => line.includes('npm install'));
    assert.match(instructions[install] ?? '', /target=\/app\/\.env\.production/);
    assert.match(instructions[install + 1] ?? '', /^RUN rm -rf \/lockfile && .* \[ ! -L package-lock\.json \]/);
  });

  it('works inside the build context, and an image without a commit says that it was uploaded', async () => {
    const { parts, attempt, read } = await withFiles({ 'apps/web/package.json': EXPRESS });
    const { catalog } = known;
    const facts = await prepareContainerFile(parts, attempt({ ...(catalog && { catalog }), contextPath: 'apps/web' }));
    assert.equal(facts.dockerfile, 'apps/web/.fairlead/Dockerfile');
    assert.match(facts.imageTag ?? '', /:prod-upload-/);
    assert.ok((await read('apps/web/.fairlead/Dockerfile')) !== null);
  });

  it('of a package of a monorepo the monorepo is the build context, and the app sees its build-time variables', async () => {
    const { parts, attempt, read, build } = await withFiles({
      'package.json': JSON.stringify({ workspaces: ['apps/*'] }),
      'package-lock.json': '{}',
      'apps/web/package.json': JSON.stringify({
        ...JSON.parse(EXPRESS),
        scripts: { build: 'tsc', start: 'node a.js' },
      }),
    });
    const key = { id: build.serviceId, name: build.service, org: 'acme' };
    await parts.services.upsert(key, { config: { COLOUR: 'blue' } });
    const catalog = catalogRecord({ buildEnvVars: ['COLOUR'] });
    const facts = await prepareContainerFile(parts, attempt({ ...known, catalog, contextPath: 'apps/web' }));
    assert.deepEqual([facts.monorepoPath, facts.dockerfile], ['', '.fairlead/Dockerfile']);
    const text = (await read('.fairlead/Dockerfile')) ?? '';
    assert.match(text, /target=\/app\/apps\/web\/\.env\.production,mode=0444 .*npm run build/);
    assert.ok((await read('fairlead-manifests/apps/web/package.json')) !== null);
    assert.equal(await read('apps/web/.fairlead/Dockerfile'), null);
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
      assert.match(text, /^RUN (?:--mount=type=cache,\S+ )*\["\/bin\/sh","-c","--mount=/m, name);
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
    const facts = await prepareContainerFile(both.parts, step);
    assert.deepEqual([facts.generatedContainerFile, facts.unusedContainerFile], [true, 'Dockerfile']);
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

  it('the token that .npmrc names is mounted for the commands of the package manager, each variable by itself', async () => {
    const { parts, attempt, read, build } = await withFiles({
      'package.json': EXPRESS,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the settings
      '.npmrc': '//npm.example/:_authToken=${NPM_TOKEN}\n//two.example/:_authToken=${TWO_TOKEN}\n',
    });
    const token = parts.cipher.seal('canary-value', { service: build.service, key: 'NPM_TOKEN' });
    const key = { id: build.serviceId, name: build.service, org: 'acme' };
    await parts.services.upsert(key, { secrets: { NPM_TOKEN: token }, config: { COLOUR: 'blue' } });
    const step = attempt({ ...known, catalog: catalogRecord({ buildEnvVars: ['COLOUR', 'NPM_TOKEN'] }) });
    const facts = await prepareContainerFile(parts, step);
    assert.deepEqual(facts.registryVariables, ['NPM_TOKEN']);
    const text = (await read('.fairlead/Dockerfile')) ?? '';
    const [install = ''] = text
      .split('\n')
      .filter((line) => line.includes('npm ci') || line.includes('npm install --omit'));
    const id = /--mount=type=secret,id=(build-variable-[0-9a-f]{16}),target=\/run\/registry-variables\/NPM_TOKEN /.exec(
      install,
    )?.[1];
    assert.ok(id !== undefined && install.includes('export NPM_TOKEN='), install);
    assert.doesNotMatch(text.slice(text.lastIndexOf('\nFROM ')), /NPM_TOKEN|registry-variables/);
    assert.ok(step.warnings.some((line) => /^TWO_TOKEN is named .*platform\.io\/env-vars/.test(line)));
    const inputs: ImageBuildInput[] = [];
    const images = {
      ...parts.images,
      build: async (input: ImageBuildInput) => ({ imageId: String(inputs.push(input)) }),
    };
    const all = {
      ...known,
      ...facts,
      catalog: catalogRecord({ buildEnvVars: ['COLOUR', 'NPM_TOKEN'] }),
      workDir: '/w',
    };
    await buildImage({ ...parts, images }, attempt(all));
    assert.equal(inputs[0]?.secrets[id ?? ''], 'canary-value');
    await parts.services.upsert(key, { config: { COLOUR: 'red' } });
    await prepareContainerFile(parts, attempt(all));
    assert.ok((await read('.fairlead/Dockerfile'))?.includes(`id=${id},`), 'another variable does not install anew');
  });

  it('caches belong to one service in one environment, whatever the container file calls them', async () => {
    const own = { Dockerfile: 'FROM alpine\nRUN --mount=type=cache,id=prod/npm,target=/c true\nUSER 1\nCMD ["x"]\n' };
    for (const [files, facts] of [
      [{ 'package.json': EXPRESS }, known],
      [own, unknownFramework],
    ] as const) {
      const { parts, attempt, read, build } = await withFiles(files);
      await prepareContainerFile(parts, attempt(facts));
      const text = (await read('.fairlead/Dockerfile')) ?? '';
      const ids = [...text.matchAll(/--mount=\S*id=([^,]*)/g)].map(([, id = '']) => id);
      assert.ok(ids.length > 0);
      assert.deepEqual(
        ids.filter((id) => !id.startsWith(`${build.serviceId}/${build.environment}/`)),
        [],
      );
    }
  });

  it('a builder that cannot mount gets a generated file without mounts', async () => {
    const { parts, attempt, read } = await withFiles({ 'package.json': EXPRESS });
    await prepareContainerFile({ ...parts, images: { ...parts.images, mounts: false } }, attempt(known));
    assert.doesNotMatch((await read('.fairlead/Dockerfile')) ?? '--mount', /--mount|\/caches/);
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
