import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCatalog } from '../../../domain/catalog/parse-catalog.ts';

const parse = (spec: string, version = '0.6.0') =>
  parseCatalog(
    `metadata:\n  name: shop\n  annotations: { platform.io/catalog-version: ${version} }\nspec:\n  ${spec}\n`,
    { enforceMinimumVersion: false },
  );
const NOTHING = { title: null, description: null };

describe('spec.modules, spec.userAccess and spec.registration', () => {
  it('modules are names, or names with titles; the last of a name counts, with a warning', () => {
    const { catalog, warnings } = parse('modules: [orders, { name: bills, title: Bills, icon: x }, { name: orders }]');
    assert.deepEqual(catalog.modules, [
      { name: 'orders', title: null },
      { name: 'bills', title: 'Bills' },
    ]);
    assert.match(warnings.join(), /orders more than once/);
  });

  it('sign-in is for anyone, unless the catalog says members', () => {
    const signInOf = (spec: string) => parse(spec).catalog.userAccess?.signIn;
    assert.deepEqual(['userAccess: {}', 'userAccess: { signIn: members }', 'auth: { mode: sso }'].map(signInOf), [
      'anyone',
      'members',
      undefined,
    ]);
  });

  it('roles came a version after the section: an earlier one ignores them alone, with a warning', () => {
    const spec = 'userAccess: { signIn: members, roles: [{ name: clerk, title: Clerk }] }';
    const roles = [{ ...NOTHING, name: 'clerk', title: 'Clerk' }];
    assert.deepEqual(parse(spec).catalog.userAccess, { signIn: 'members', roles });
    const older = parse(spec, '0.5.0');
    assert.deepEqual(older.catalog.userAccess, { signIn: 'members', roles: [] });
    assert.match(older.warnings.join(), /spec\.userAccess\.roles is ignored: it needs catalog version 0\.6\.0/);
    assert.equal(parse(spec, '0.4.0').catalog.userAccess, null);
  });

  it('registration is what people are shown, and links that are https', () => {
    const { catalog } = parse('registration: { title: Orders, termsUrl: "https://acme.example/terms" }');
    assert.deepEqual(catalog.registration, {
      ...NOTHING,
      title: 'Orders',
      termsUrl: 'https://acme.example/terms',
      privacyUrl: null,
    });
  });

  it('which orgs share the service is no section: a catalog that names some changes nothing, and is told so', () => {
    const { catalog, warnings } = parse('authorizedOrgs: [friends]');
    assert.deepEqual(warnings, ['spec.authorizedOrgs is not a known section and is ignored']);
    assert.ok(!JSON.stringify(catalog).includes('friends'));
  });

  const REFUSED: readonly (readonly [string, RegExp])[] = [
    ['modules: { orders: true }', /spec\.modules: expected a list of modules/],
    ['modules: [Orders]', /modules\[0\]/],
    ['modules: [{ title: Orders }]', /modules\[0\]/],
    [`modules: [${Array.from({ length: 51 }, (_, index) => `m${index}`).join(', ')}]`, /at most 50 modules/],
    ['userAccess: { signIn: nobody }', /signIn: expected one of anyone, members/],
    ['userAccess: members', /userAccess: expected a mapping/],
    ['userAccess: { roles: [{ name: "<b>" }] }', /roles\[0\]\.name/],
    ['userAccess: { roles: [{ name: a, title: "two\\nlines" }] }', /title: expected one line/],
    ['userAccess: { roles: [{ name: a, title: "Cl\\u202eerk" }] }', /title: expected text without control/],
    ['userAccess: { roles: [{ name: a, description: "Enters\\u2066 orders" }] }', /description: expected text without/],
    ['userAccess: { roles: [{ name: a, description: "\\e[2JEnters" }] }', /description: text with a control character/],
    ['modules: [{ name: a, title: "\\u200fOrders" }]', /modules\[0\]/],
    ['registration: { description: "Sign\\u061c up" }', /description: expected text without/],
    ['registration: { termsUrl: "javascript:alert(1)" }', /termsUrl: expected an https address/],
    ['registration: { termsUrl: "http://acme.example" }', /termsUrl: expected an https address/],
    [`registration: { description: ${'x'.repeat(1_001)} }`, /description: expected text/],
  ];
  for (const [spec, message] of REFUSED) {
    it(`refuses ${spec.slice(0, 60)}`, () => assert.throws(() => parse(spec), { code: 'CATALOG_INVALID', message }));
  }
});
