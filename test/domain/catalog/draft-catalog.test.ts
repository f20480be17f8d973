import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CatalogDraft, draftCatalog, writeCatalog } from '../../../domain/catalog/draft-catalog.ts';
import { parseCatalog } from '../../../domain/catalog/parse-catalog.ts';
import { readVariablesFile } from '../../../domain/catalog/variables-file.ts';

interface Look {
  readonly files?: readonly string[];
  readonly example?: string;
  readonly code?: string;
  readonly packages?: readonly string[];
}

function draftOf({ files = [], example, code = '', packages = [] }: Look): CatalogDraft {
  const variables = example === undefined ? {} : { '.env.example': readVariablesFile(example) };
  const source = { files, texts: {}, variables };
  return draftCatalog({ name: 'shop', framework: 'express' }, source, { code: [code], packages });
}

describe('the catalog file drafted after a look at an app', () => {
  for (const [code, port] of [
    ['app.listen(4000)', 4000],
    ['app.listen( 4000, () => {})', 4000],
    ['fastify.listen({ port: 4000, host })', 4000],
    ['serve({ fetch: app.fetch, port: 8787 })', 8787],
    ['app.listen(process.env.PORT || 4000)', null],
    ['const { PORT } = process.env; app.listen(PORT ?? 4000)', null],
    ['const port = Number(process.env.PORT); server.listen(4000)', null],
    ['new Pool({ host, port: 5432 })', null],
    ['app.listen(99999)', null],
  ] as const) {
    it(`declares the port of ${code}: ${port ?? 'none'}`, () => assert.equal(draftOf({ code }).port, port));
  }

  for (const [code, health] of [
    [`app.get('/health', ok)`, '/health'],
    ['fastify.get("/healthz", ok)', '/healthz'],
    ['server.all(`/api/health`, ok)', '/api/health'],
    [`router.get('/health', ok)`, null],
    [`app.get('/healthy-food', ok)`, null],
    [`app.post('/health', ok)`, null],
  ] as const) {
    it(`declares the health path of ${code}: ${health ?? 'none'}`, () =>
      assert.equal(draftOf({ code }).health, health));
  }

  it('knows the health routes of Next.js by their files', () => {
    assert.equal(draftOf({ files: ['src/app/api/health/route.ts'] }).health, '/api/health');
    assert.equal(draftOf({ files: ['pages/api/health.js'] }).health, '/api/health');
  });

  it('declares databases by their packages, and the variables of the example but those that the platform provides', () => {
    const example =
      'PORT=3000\nMONGODB_URI=mongodb://x\nCOLOUR=blue\nMONGO_URL=mongodb://localhost\nSTRIPE_SECRET=\nJWT_KEY=sk_live_12345678\n';
    const { databases, config } = draftOf({ example, packages: ['mongoose', 'pg', 'mongodb', 'express'] });
    assert.deepEqual(databases, ['mongodb', 'postgres']);
    assert.deepEqual(config, [
      { key: 'COLOUR', secret: false },
      { key: 'MONGO_URL', secret: true },
      { key: 'STRIPE_SECRET', secret: true },
      { key: 'JWT_KEY', secret: true },
    ]);
  });

  it('is a file that a deploy takes, with all that was found in it', () => {
    const draft = draftOf({
      ...{ example: 'COLOUR=\nSTRIPE_SECRET=x\n', packages: ['pg'] },
      code: `app.get('/health', ok); app.listen(4000)`,
    });
    const text = writeCatalog(draft, { version: '0.6.0', schemaUrl: 'https://builder.example/schemas/catalog.json' });
    assert.match(text, /^# yaml-language-server: \$schema=https:\/\/builder\.example\/schemas\/catalog\.json\n/);
    const { catalog, warnings } = parseCatalog(text, { enforceMinimumVersion: true });
    assert.deepEqual(warnings, []);
    const { name, framework, port, healthEndpoint, healthDeclared, databases, config } = catalog;
    assert.deepEqual(
      { name, framework, port, healthEndpoint, healthDeclared, databases },
      {
        name: 'shop',
        framework: 'express',
        port: 4000,
        healthEndpoint: '/health',
        healthDeclared: true,
        databases: ['postgres'],
      },
    );
    assert.deepEqual(
      config.map(({ key, secret, required }) => ({ key, secret, required })),
      [
        { key: 'COLOUR', secret: false, required: false },
        { key: 'STRIPE_SECRET', secret: true, required: false },
      ],
    );
  });

  it('of an app of which nothing is known declares its name alone', () => {
    const draft = { ...draftOf({}), framework: null };
    const { catalog } = parseCatalog(writeCatalog(draft, { version: '0.6.0', schemaUrl: 'x' }), {
      enforceMinimumVersion: true,
    });
    assert.deepEqual([catalog.name, catalog.healthDeclared, catalog.port, catalog.config], ['shop', false, null, []]);
  });
});
