import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DOMAIN_MODES } from '../../../domain/custom-domains/mode.ts';
import {
  type DomainCondition,
  type DomainFacts,
  MODE_GATES,
  standingOf,
  statesOf,
} from '../../../domain/custom-domains/state-table.ts';

const ALL: DomainFacts = { proof: 'holds', zone: 'holds', dns: 'holds', hostname: 'holds', certificate: 'holds' };

/** Every cell of the table: what a mode says of a name that lacks one thing, and what of one that lacks nothing. */
const TABLE = {
  cloudflare: {
    ...{ proof: 'pending-proof', zone: 'pending-delegation', dns: 'pending-dns' },
    ...{ hostname: 'active', certificate: 'active' },
  },
  external: {
    ...{ proof: 'pending-proof', zone: 'active', dns: 'pending-cname' },
    ...{ hostname: 'pending-validation', certificate: 'active' },
  },
  direct: {
    ...{ proof: 'pending-proof', zone: 'active', dns: 'pending-dns' },
    ...{ hostname: 'active', certificate: 'pending-certificate' },
  },
} as const;

describe('the state table', () => {
  for (const mode of DOMAIN_MODES) {
    for (const [lacking, state] of Object.entries(TABLE[mode])) {
      it(`${mode} without ${lacking}: ${state}`, () => {
        for (const fact of ['missing', 'unknown'] as const) {
          assert.equal(standingOf(mode, { ...ALL, [lacking]: fact }, false).state, state);
        }
      });
      it(`${mode}, served, when ${lacking} is gone: ${state}; when nobody answers about it: active`, () => {
        assert.equal(standingOf(mode, { ...ALL, [lacking]: 'missing' }, true).state, state);
        assert.equal(standingOf(mode, { ...ALL, [lacking]: 'unknown' }, true).state, 'active');
      });
    }

    it(`${mode} with all: active, and the service's`, () => {
      const { state, owns, condition } = standingOf(mode, ALL, false);
      assert.deepEqual([state, owns, condition], ['active', true, null]);
    });

    it(`${mode}: a name is the service's once its DNS leads here, and no sooner`, () => {
      const order = MODE_GATES[mode].map(({ condition }) => condition);
      const owners = order.map((condition) => standingOf(mode, { ...ALL, [condition]: 'missing' }, false).owns);
      const dns = order.indexOf('dns' satisfies DomainCondition);
      assert.deepEqual(
        owners,
        order.map((_, index) => index > dns),
      );
    });

    it(`${mode} goes through its states in one order`, () => {
      assert.deepEqual(statesOf(mode).slice(-2), ['active', 'failed']);
      assert.equal(statesOf(mode)[0], 'pending-proof');
    });
  }
});
