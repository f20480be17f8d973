import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDeliveryPlaces } from '../../../activities/notifications/delivery-places.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { channelRecord } from '../../ports/notifications/notification-stores.ts';

const webhook = (org: string | null, host: string) =>
  channelRecord({ org, target: { kind: 'webhook', url: `https://${host}/hook`, secrets: [] } });
const refused = { code: 'UNAVAILABLE', retryable: true };
const never = new Promise<void>(() => undefined);

/** How many of so many go on at once, each for ever. */
function fill(
  inPlace: ReturnType<typeof createDeliveryPlaces>,
  channel: (index: number) => ReturnType<typeof webhook>,
) {
  let begun = 0;
  for (let index = 0; index < 100; index += 1) {
    inPlace(channel(index), () => {
      begun += 1;
      return never;
    }).catch(() => undefined);
  }
  return begun;
}

describe('the places of deliveries', () => {
  it('an org whose receivers hang has some, and the alert of another goes out at once', async () => {
    const inPlace = createDeliveryPlaces(() => 1);
    assert.equal(
      fill(inPlace, (index) => webhook('slow', `hooks-${index}.example.com`)),
      8,
    );
    await assert.rejects(
      inPlace(webhook('slow', 'other.example.com'), async () => 'sent'),
      refused,
    );
    assert.equal(await inPlace(webhook('acme', 'hooks.example.com'), async () => 'sent'), 'sent');
    assert.equal(await inPlace(webhook(null, 'hooks.example.com'), async () => 'sent'), 'sent');
  });

  it('a receiver that hangs has some, of whatever org, and others are told at once', async () => {
    const inPlace = createDeliveryPlaces(() => 1);
    assert.equal(
      fill(inPlace, (index) => webhook(`org-${index}`, 'slow.example.com')),
      16,
    );
    await assert.rejects(
      inPlace(webhook('acme', 'slow.example.com'), async () => 'sent'),
      refused,
    );
    assert.equal(await inPlace(webhook('acme', 'hooks.example.com'), async () => 'sent'), 'sent');
    assert.equal(await inPlace(channelRecord(), async () => 'sent'), 'sent', 'by mail');
  });

  it('what was refused at its receiver takes no place of its org, and what ended or failed gives its own back', async () => {
    const inPlace = createDeliveryPlaces(() => 1);
    fill(inPlace, (index) => webhook(`org-${index}`, 'slow.example.com'));
    for (let times = 0; times < 20; times += 1) {
      await assert.rejects(
        inPlace(webhook('acme', 'slow.example.com'), async () => 'sent'),
        refused,
      );
      await assert.rejects(
        inPlace(webhook('acme', 'hooks.example.com'), () => Promise.reject(new Error('no'))),
        /no/,
      );
      assert.equal(await inPlace(webhook('acme', 'hooks.example.com'), async () => 'sent'), 'sent');
    }
  });

  it('who waits long asks less often, and never longer than a minute after', async () => {
    let attempt = 1;
    const inPlace = createDeliveryPlaces(() => attempt);
    fill(inPlace, (index) => webhook('slow', `hooks-${index}.example.com`));
    for (const [number, most] of [
      [1, 2.5],
      [1_000, 60.5],
    ] as const) {
      attempt = number;
      const error = await inPlace(webhook('slow', 'x.example.com'), async () => null).catch((thrown) => thrown);
      assert.ok(error instanceof FairleadError);
      const { retryAfterSeconds } = error.details as { readonly retryAfterSeconds: number };
      assert.ok(retryAfterSeconds >= 0.5 && retryAfterSeconds <= most, `${retryAfterSeconds}`);
    }
  });
});
