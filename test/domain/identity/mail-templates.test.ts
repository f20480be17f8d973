import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAIL_KINDS } from '../../../domain/identity/mail.ts';
import {
  chooseTemplate,
  fillTemplate,
  type MailValues,
  templateProblem,
} from '../../../domain/identity/mail-templates.ts';

const VALUES: MailValues = {
  name: 'Ada',
  link: 'https://id.example/x?token=t',
  org: 'Acme',
  product: 'Shop',
  expires: '21 Nov 2026, 10:40 UTC',
};
const OWN = { subject: 'Hi {{name}}', text: 'Go: {{link}}' };

test("every kind has a platform template that may be used as anybody's own", () => {
  for (const kind of MAIL_KINDS) assert.equal(templateProblem(chooseTemplate(kind, [])), null, kind);
});

test("the client's template wins over the org's, and that over the platform's", () => {
  const client = { invite: { ...OWN, subject: 'client' } };
  const org = { invite: { ...OWN, subject: 'org' }, magic_link: { ...OWN, subject: 'org' } };
  assert.equal(chooseTemplate('invite', [client, org]).subject, 'client');
  assert.equal(chooseTemplate('magic_link', [client, org]).subject, 'org');
  assert.match(chooseTemplate('password_reset', [client, org]).subject, /password/);
  assert.match(chooseTemplate('invite', [undefined, {}]).subject, /invited/);
});

test('a template with an unknown placeholder, no link, or a link in its subject is refused', () => {
  assert.equal(templateProblem(OWN), null);
  assert.match(templateProblem({ ...OWN, text: '{{link}} {{password}}' }) ?? '', /\{\{password\}\} is not known/);
  assert.match(templateProblem({ ...OWN, text: '{{link}} {{constructor}}' }) ?? '', /constructor/);
  assert.match(templateProblem({ ...OWN, text: 'no way in' }) ?? '', /missing/);
  assert.match(templateProblem({ ...OWN, subject: '{{link}}' }) ?? '', /subject/);
  assert.match(templateProblem({ ...OWN, subject: 'a\r\nBcc: eve@example.com' }) ?? '', /one line/);
  assert.match(templateProblem({ ...OWN, subject: ' ' }) ?? '', /subject/);
  assert.match(templateProblem({ ...OWN, text: '{{link}}\u0000' }) ?? '', /control/);
});

test('a value is one line of bounded length and is never read as a template', () => {
  const hostile = { ...VALUES, name: '{{link}}\r\nBcc: eve@example.com\u2028\u202Eevil', org: 'x'.repeat(500) };
  assert.equal(fillTemplate('Hi {{name}}!', hostile), 'Hi {{link}} Bcc: eve@example.com evil!');
  assert.equal(fillTemplate('{{org}}', hostile).length, 200);
  assert.equal(fillTemplate('{{ name }} {{nope}} {{}} {{', VALUES), 'Ada {{nope}} {{}} {{');
});
