import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { countProperties, type PropertyCounts } from '../../../domain/properties/overview.ts';
import { type Property, SOURCE_KINDS, statusOf, VERIFICATION_STATES } from '../../../domain/properties/property.ts';
import { property, SOURCE } from '../../ports/properties/property-store.ts';

const AT = new Date('2026-11-01T10:00:00Z');

const anyProperty: fc.Arbitrary<Property> = fc
  .record({
    family: fc.constantFrom(null, 'cars', 'homes'),
    state: fc.constantFrom(...VERIFICATION_STATES),
    ignored: fc.boolean(),
    automatable: fc.constantFrom(null, true, false),
    kind: fc.constantFrom(null, ...SOURCE_KINDS),
    keep: fc.boolean(),
    placeholder: fc.boolean(),
  })
  .map(({ family, state, ignored, automatable, kind, keep, placeholder }) => {
    const one = property({ family });
    return {
      ...one,
      verification: { ...one.verification, state },
      ignored: ignored ? { by: 'map', actor: null, reason: null, at: AT } : null,
      zone: { automatable, checkedAt: null },
      source: kind === null ? null : { ...SOURCE, kind, keep, placeholder },
    };
  });

const listOf = (items: readonly Property[]) => async () => ({ items, nextCursor: null });

function assertAddsUp(counts: PropertyCounts): void {
  assert.equal(counts.total, counts.verified + counts.unverified + counts.ignored);
  assert.equal(counts.unverified, counts.automatable + counts.manual);
  assert.ok(counts.error <= counts.unverified);
}

describe('the overview', () => {
  it('adds up, in all and in each family, and the families add up to all', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyProperty, { maxLength: 40 }), async (items) => {
        const { families, ...all } = await countProperties(listOf(items));
        const each = Object.values(families);
        for (const counts of [all, ...each]) assertAddsUp(counts);
        assert.equal(all.total, items.length);
        for (const [name, count] of Object.entries(all)) {
          const sum = each.reduce((total, counts) => total + counts[name as keyof PropertyCounts], 0);
          assert.equal(sum, count, name);
        }
      }),
    );
  });

  it('has every legacy Property that is not ignored as kept, or as one that needs a site', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyProperty, { maxLength: 40 }), async (items) => {
        const { needsGeneratedSite, keptLegacy } = await countProperties(listOf(items));
        const legacy = items.filter((one) => one.source?.kind === 'legacy' && statusOf(one) !== 'ignored');
        assert.equal(needsGeneratedSite + keptLegacy, legacy.length);
        assert.equal(keptLegacy, legacy.filter(({ source }) => source?.keep).length);
      }),
    );
  });

  it('of nothing is zeros', async () => {
    const { families, ...all } = await countProperties(listOf([]));
    assert.deepEqual([families, Object.values(all).filter((count) => count !== 0)], [{}, []]);
  });
});
