import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FairleadError } from '../../../domain/errors.ts';
import type { Mail } from '../../../domain/identity/mail.ts';
import type { MailSender } from '../../../domain/identity/ports.ts';

/** What arrived, as far as every sender can tell. */
export interface Arrived {
  readonly id: string;
  readonly recipients: readonly string[];
  readonly fromName: string;
  readonly subject: string;
  readonly text: string;
}

export const MAIL: Mail = {
  id: 'eml_00000000000000000001',
  kind: 'magic_link',
  to: 'ada@example.com',
  fromName: 'Caf\u00e9 Shop',
  subject: 'Sign in \u2013 caf\u00e9',
  text: 'Hello Ada,\n\nhttps://id.example/login/magic?token=flot_abc\n',
  html: '<p>Hello Ada</p>',
};

/** What every way of sending mail holds. */
export function mailSenderSuite(
  name: string,
  start: () => Promise<{ sender: MailSender; arrived: () => Promise<readonly Arrived[]>; stop: () => Promise<void> }>,
): void {
  describe(`mail sender: ${name}`, () => {
    const sending = (title: string, run: (parts: Awaited<ReturnType<typeof start>>) => Promise<void>) =>
      it(title, async () => {
        const parts = await start();
        try {
          await run(parts);
        } finally {
          await parts.stop();
        }
      });

    sending('a mail arrives at its one recipient as it was written', async ({ sender, arrived }) => {
      await sender.send(MAIL);
      const [mail, ...more] = await arrived();
      assert.deepEqual(more, []);
      assert.deepEqual(mail?.recipients, [MAIL.to]);
      assert.deepEqual([mail?.id, mail?.fromName, mail?.subject], [MAIL.id, MAIL.fromName, MAIL.subject]);
      assert.equal(mail?.text.trim(), MAIL.text.trim());
    });

    sending('personas get no mail, and what is not one normalized address none either', async ({ sender, arrived }) => {
      const refused = [
        'persona+qa@acme.personas.invalid',
        'Ada@Example.com',
        'ada@example.com, eve@example.com',
        'Ada <ada@example.com>',
        'ada@example.com\r\nBcc: eve@example.com',
        'ada@example.com\r\nRCPT TO:<eve@example.com>',
        '',
      ];
      for (const to of refused) {
        await assert.rejects(sender.send({ ...MAIL, to }), (error) => error instanceof FairleadError, to);
      }
      assert.deepEqual(await arrived(), []);
    });

    sending('nothing in a subject or name adds a recipient', async ({ sender, arrived }) => {
      const hostile = 'x\r\nBcc: eve@example.com\r\nTo: eve@example.com';
      await sender.send({ ...MAIL, subject: hostile, fromName: `"${hostile}" <eve@example.com>,` });
      const [mail, ...more] = await arrived();
      assert.deepEqual([mail?.recipients, more], [[MAIL.to], []]);
    });
  });
}
