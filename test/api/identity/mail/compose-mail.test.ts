import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composeMail, type MailRequest } from '../../../../api/identity/mail/compose-mail.ts';
import { NO_WHITE_LABEL } from '../../../../domain/branding/white-label.ts';
import { MAIL_KINDS } from '../../../../domain/identity/mail.ts';

const REQUEST: MailRequest = {
  id: 'eml_1',
  kind: 'invite',
  to: 'ada@example.com',
  client: null,
  org: null,
  brand: { name: 'Fairlead', logoUrl: null, colour: null },
  platformName: 'Fairlead',
  values: {
    name: 'Ada',
    link: 'https://id.example/x?token=flot_t&lang=en',
    org: 'Acme',
    product: 'Shop',
    expires: '21 Nov 2026, 10:40 UTC',
  },
};
const look = (emailFromName: string | null, mailTemplates = {}) => ({
  mailTemplates,
  whiteLabel: { ...NO_WHITE_LABEL, emailFromName },
});

test('every kind says where to go, until when, in text and HTML', () => {
  for (const kind of MAIL_KINDS) {
    const mail = composeMail({ ...REQUEST, kind });
    assert.match(mail.text, /https:\/\/id\.example\/x\?token=flot_t&lang=en/, kind);
    assert.match(mail.html, /href="https:\/\/id\.example\/x\?token=flot_t&amp;lang=en"/, kind);
    assert.match(mail.text, /10:40 UTC/, kind);
    assert.doesNotMatch(mail.text + mail.subject, /\{\{/, kind);
    assert.doesNotMatch(mail.subject, /flot_/, kind);
  }
});

test("the sender's name is the client's, else the org's, else the platform's", () => {
  assert.equal(composeMail({ ...REQUEST, client: look('Shop'), org: look('Acme') }).fromName, 'Shop');
  assert.equal(composeMail({ ...REQUEST, client: look(null), org: look('Acme') }).fromName, 'Acme');
  assert.equal(composeMail(REQUEST).fromName, 'Fairlead');
});

test("an org's own template is used, with its words escaped in HTML", () => {
  const invite = { subject: 'Hi {{name}}', text: '<b>Join</b> {{org}} at {{link}} now\n\n{{link}}' };
  const mail = composeMail({ ...REQUEST, org: look(null, { invite }) });
  assert.equal(mail.subject, 'Hi Ada');
  assert.match(mail.html, /&lt;b&gt;Join&lt;\/b&gt; Acme/);
  assert.match(mail.html, /<a href="[^"]+">https:/);
});

test('nothing a person is called becomes markup, a line or a header', () => {
  const evil = `"><script>alert(1)</script>\r\nBcc: eve@example.com{{link}}`;
  const values = { ...REQUEST.values, name: evil, org: evil, product: evil };
  for (const kind of MAIL_KINDS) {
    const brand = { ...REQUEST.brand, name: evil };
    const mail = composeMail({ ...REQUEST, kind, values, brand, org: look(evil) });
    assert.doesNotMatch(mail.html, /<script/);
    assert.doesNotMatch(mail.subject + mail.fromName, /[\r\n]/);
    assert.doesNotMatch(mail.text, /^Bcc:/m);
    assert.doesNotMatch(mail.subject, /flot_t/);
  }
});
