import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPersonaAddress, normalizeEmail } from '../../../domain/identity/email-address.ts';

test('one mailbox has one form, however it is typed', () => {
  assert.equal(normalizeEmail('  Ada@Example.COM '), 'ada@example.com');
  assert.equal(normalizeEmail('m\u0075\u0308ller@example.com'), 'm\u00fcller@example.com');
  assert.equal(normalizeEmail('ada@B\u00fccher.example'), 'ada@xn--bcher-kva.example');
  assert.equal(normalizeEmail('ada@xn--bcher-kva.example'), 'ada@xn--bcher-kva.example');
  assert.equal(normalizeEmail("o'hara+news@mail.example.com"), "o'hara+news@mail.example.com");
  const once = normalizeEmail('\u0130SIK@Example.com');
  assert.ok(once !== null);
  assert.equal(normalizeEmail(once), once);
});

test('what is no address is refused', () => {
  const refused = [
    '',
    '@',
    'ada',
    'ada@',
    '@example.com',
    'ada@localhost',
    'ada@127.0.0.1',
    'ada@[127.0.0.1]',
    'ada@0x7f.1',
    'ada@example.com:25',
    'ada@example.com/x',
    'ada@user@example.com',
    'ada@exa mple.com',
    'ada@example..com',
    'ada@-example.com',
    'ada@%65xample.com',
    '.ada@example.com',
    'a..da@example.com',
    'ada.@example.com',
    '"ada"@example.com',
    'ada b@example.com',
    'ada,bob@example.com',
    'ada@example.com,bob@example.com',
    'Ada <ada@example.com>',
    'ada@example.com\r\nBcc: eve@example.com',
    'ada\u0000@example.com',
    `${'a'.repeat(65)}@example.com`,
    `ada@${'a.'.repeat(130)}example.com`,
  ];
  for (const text of refused) assert.equal(normalizeEmail(text), null, JSON.stringify(text));
});

test("personas' addresses are known by their domain alone", () => {
  assert.ok(isPersonaAddress('persona+qa@acme.personas.invalid'));
  assert.ok(isPersonaAddress('x@personas.invalid'));
  assert.ok(!isPersonaAddress('persona+qa@acme.personas.invalid.example.com'));
  assert.ok(!isPersonaAddress('x@notpersonas.invalid'));
});
