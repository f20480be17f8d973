import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { grantableRoles, judgeRoles, onlyGivesRights, unknownModules } from '../../../domain/orgs/administration.ts';
import { ORG_ROLES, type OrgRole } from '../../../domain/roles.ts';

const roles = fc.subarray([...ORG_ROLES]);
const strength = (list: readonly OrgRole[]): number => Math.max(-1, ...list.map((role) => ORG_ROLES.indexOf(role)));

test('nobody gives a role stronger than their own strongest, and everybody in the org any weaker one', () => {
  fc.assert(
    fc.property(roles, roles, (held, wanted) => {
      const { refused } = judgeRoles({ platform: false, roles: held }, wanted);
      for (const role of wanted) assert.equal(refused.includes(role), strength([role]) > strength(held));
    }),
  );
});

test('the platform gives every org role, and someone without a role none', () => {
  assert.deepEqual(grantableRoles({ platform: true, roles: [] }), ORG_ROLES);
  assert.deepEqual(grantableRoles({ platform: false, roles: [] }), []);
  assert.deepEqual(judgeRoles({ platform: false, roles: [] }, ['viewer']).refused, ['viewer']);
});

test('what is given out is never more than what is held, however often it is passed on', () => {
  fc.assert(
    fc.property(roles, (held) => {
      const given = grantableRoles({ platform: false, roles: held });
      assert.ok(strength(given) <= strength(held));
      assert.deepEqual(grantableRoles({ platform: false, roles: given }), given);
    }),
  );
});

test('a change only gives rights when a role or module comes and none goes', () => {
  const modules = fc.subarray(['crm', 'mail', 'shop']);
  fc.assert(
    fc.property(roles, modules, roles, modules, (heldRoles, heldModules, newRoles, newModules) => {
      const before = { roles: heldRoles, modules: heldModules };
      const after = { roles: newRoles, modules: newModules };
      const kept = new Set<string>([...newRoles, ...newModules]);
      const lost = [...heldRoles, ...heldModules].some((right) => !kept.has(right));
      const held = new Set<string>([...heldRoles, ...heldModules]);
      const won = [...newRoles, ...newModules].some((right) => !held.has(right));
      assert.equal(onlyGivesRights(before, after), won && !lost);
      assert.equal(onlyGivesRights(before, before), false, 'it may repeat a change that was cut off');
    }),
  );
});

test('a module that is not switched on is nobody’s to give', () => {
  assert.deepEqual(unknownModules({ modules: ['crm'] }, ['crm', 'mail', '__proto__']), ['mail', '__proto__']);
});
