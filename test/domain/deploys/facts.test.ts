import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inferCatalog } from '../../../domain/catalog/infer-catalog.ts';
import { storedFactsSchema } from '../../../domain/deploys/facts.ts';

const { catalog } = inferCatalog({ manifest: '{"dependencies":{"express":"5"}}', files: [] });

describe('facts as they are stored', () => {
  it('come back as they were written, whichever step found them', () => {
    const facts = { commitSha: 'a'.repeat(40), catalog, dockerfile: null, port: 3000, generatedContainerFile: true };
    assert.deepEqual(storedFactsSchema.parse(facts), facts);
  });

  it('of an unknown name are kept for the version that knows them', () => {
    assert.deepEqual(storedFactsSchema.parse({ port: 3000, meshId: { region: 'eu' } }), {
      port: 3000,
      meshId: { region: 'eu' },
    });
  });

  it('of a shape that this version does not know are left out, and the others stay', () => {
    const newer = { ...catalog, framework: 'remix' };
    assert.deepEqual(storedFactsSchema.parse({ port: { http: 3000 }, catalog: newer, branch: 'main' }), {
      branch: 'main',
    });
  });

  it('may be called what every object has, which is no fact of ours', () => {
    assert.deepEqual(
      storedFactsSchema.parse(JSON.parse('{"constructor": 1, "port": 3000}')),
      JSON.parse('{"constructor": 1, "port": 3000}'),
    );
  });

  it('are refused when they are no facts at all', () => {
    for (const value of [null, 'facts', 7, undefined]) {
      assert.equal(storedFactsSchema.safeParse(value).success, false, String(value));
    }
  });
});
