import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import type { AddressRecord } from '../../../domain/custom-domains/mode.ts';
import type { DomainZone, DomainZones } from '../../../domain/custom-domains/ports.ts';

/** A record of any type, as zone files have it. */
export interface ForeignRecord {
  readonly type: AddressRecord['type'] | 'TXT' | 'MX' | 'CAA';
  readonly content: string;
}

export interface DomainZonesUnderTest {
  readonly zones: DomainZones;
  /** Makes a zone, as the operator does; delegated to the provider or not. */
  addZone(apex: string, isDelegated: boolean): Promise<void>;
  /** As a person does on the provider's pages, of any type. */
  put(apex: string, name: string, records: readonly ForeignRecord[]): Promise<void>;
  /** What the server of the zone answers, by real packets: texts, mail servers and authorities of a name, as they came. */
  foreign(name: string): Promise<readonly unknown[]>;
  /** Another installation on the same account or server. */
  readonly other: DomainZones;
}

const IN = { type: 'CNAME', content: 'in.fairlead.dev' } as const;
const ADDRESS = { type: 'A', content: '192.0.2.7' } as const;
const FOREIGN: readonly ForeignRecord[] = [
  { type: 'TXT', content: '"v=spf1 include:_spf.example.com -all"' },
  { type: 'TXT', content: '"with \\"quotes\\" and a \\\\" "second part"' },
  { type: 'MX', content: '10 mail.example.com.' },
  { type: 'CAA', content: '0 issue "letsencrypt.org"' },
];

/** What every {@link DomainZones} guarantees. Domains are new for each test. */
export function domainZonesSuite(parts: () => DomainZonesUnderTest): void {
  describe('DomainZones', () => {
    const newApex = (): string => `d${randomBytes(6).toString('hex')}.com`;
    async function newZone(isDelegated = true): Promise<{ zone: DomainZone; name: string; apex: string }> {
      const apex = newApex();
      await parts().addZone(apex, isDelegated);
      const zone = await parts().zones.findZone(apex);
      assert.ok(zone);
      return { zone, apex, name: `shop.${apex}` };
    }
    const bare = (records: readonly AddressRecord[]) => records.map(({ type, content }) => ({ type, content }));
    const read = async (zone: DomainZone, name: string) => bare(await parts().zones.read(zone, name));
    const write = (
      zone: DomainZone,
      name: string,
      wanted: AddressRecord | null,
      expected: readonly AddressRecord[] = [],
    ) => parts().zones.replace(zone, name, { expected, wanted });

    it('finds a zone, says whether the domain is delegated to it, and finds no other', async () => {
      const { zone, apex } = await newZone();
      assert.deepEqual([zone.name, zone.status], [apex, 'active']);
      assert.ok(zone.nameServers.length > 0);
      assert.equal((await newZone(false)).zone.status, 'pending');
      assert.equal(await parts().zones.findZone(newApex()), null);
      assert.equal(await parts().zones.findZone(`shop.${apex}`), null);
    });

    it('removes a zone that nobody uses; one with what others wrote, and one that is delegated here, stays', async () => {
      const { zones } = parts();
      const make = async (): Promise<DomainZone> => {
        const apex = newApex();
        return await zones.createZone(apex);
      };
      const [own, foreign] = [await make(), await make()];
      await write(own, `shop.${own.name}`, IN);
      assert.equal(await zones.removeZone(own), true);
      assert.equal(await zones.findZone(own.name), null);
      assert.equal(await zones.removeZone(own), true, 'one that is gone is no error');
      await parts().put(foreign.name, `www.${foreign.name}`, [ADDRESS]);
      assert.equal(await zones.removeZone(foreign), false);
      assert.equal(await zones.removeZone((await newZone()).zone), false);
      assert.equal((await zones.findZone(foreign.name))?.id, foreign.id);
    });

    it('makes a zone once, which waits for its delegation', async () => {
      const apex = newApex();
      const made = await parts().zones.createZone(apex);
      assert.deepEqual([made.name, made.status], [apex, 'pending']);
      assert.ok(made.nameServers.length > 0);
      const again = await parts().zones.createZone(apex);
      assert.deepEqual([again.id, again.nameServers], [made.id, made.nameServers]);
    });

    for (const wanted of [ADDRESS, IN, { type: 'AAAA', content: '2001:db8::7' }] as const) {
      it(`writes one ${wanted.type}, which is its own, however often it is asked`, async () => {
        const { zone, name } = await newZone();
        await write(zone, name, wanted);
        await write(zone, name, wanted);
        assert.deepEqual(await read(zone, name), [wanted]);
        const [record] = await parts().zones.read(zone, name);
        assert.equal(record?.isOwn, true);
        assert.equal((await parts().other.read(zone, name))[0]?.isOwn, false);
      });
    }

    it('what a person wrote is not its own', async () => {
      const { zone, apex, name } = await newZone();
      await parts().put(apex, name, [{ type: 'A', content: '198.51.100.9' }]);
      const records = await parts().zones.read(zone, name);
      assert.deepEqual(
        records.map(({ type, content, isOwn }) => [type, content, isOwn]),
        [['A', '198.51.100.9', false]],
      );
    });

    it('puts one record in the place of those that were read, of whatever types', async () => {
      const { zone, apex, name } = await newZone();
      const old = [
        { type: 'A', content: '198.51.100.8' },
        { type: 'A', content: '198.51.100.9' },
        { type: 'AAAA', content: '2001:db8::9' },
      ] as const;
      await parts().put(apex, name, old);
      await write(zone, name, IN, old);
      assert.deepEqual(await read(zone, name), [IN]);
      await write(zone, name, ADDRESS, [IN]);
      assert.deepEqual(await read(zone, name), [ADDRESS]);
      await write(zone, name, null, [ADDRESS]);
      assert.deepEqual(await read(zone, name), []);
      await write(zone, name, null, [ADDRESS]);
    });

    it('changes nothing when something else stands there than was read', async () => {
      const { zone, apex, name } = await newZone();
      const there = { type: 'A', content: '198.51.100.9' } as const;
      await parts().put(apex, name, [there]);
      for (const expected of [[], [ADDRESS], [there, ADDRESS]]) {
        await assert.rejects(write(zone, name, IN, expected), { code: 'CONFLICT', retryable: true });
      }
      await assert.rejects(write(zone, name, null, [ADDRESS]), { code: 'CONFLICT' });
      assert.deepEqual(await read(zone, name), [there]);
    });

    it('leaves other types at the name as they are, byte for byte, and other names as well', async () => {
      const { zone, apex, name } = await newZone();
      await parts().put(apex, name, FOREIGN);
      await parts().put(apex, `www.${apex}`, [{ type: 'A', content: '198.51.100.9' }]);
      const before = await parts().foreign(name);
      assert.equal(before.length, FOREIGN.length);
      await write(zone, name, ADDRESS);
      await parts().zones.putText(zone, name, 'of ours');
      await parts().zones.removeText(zone, name, 'of ours');
      await write(zone, name, null, [ADDRESS]);
      assert.deepEqual(await parts().foreign(name), before);
      assert.deepEqual(await read(zone, `www.${apex}`), [{ type: 'A', content: '198.51.100.9' }]);
    });

    it('puts a text beside others, once, and takes that one away', async () => {
      const { zone, apex } = await newZone();
      const name = `_acme-challenge.${apex}`;
      await parts().put(apex, name, [{ type: 'TXT', content: '"another"' }]);
      const before = await parts().foreign(name);
      for (const text of ['one', 'two', 'one']) await parts().zones.putText(zone, name, text);
      const texts = (await parts().foreign(name)).map(String).sort();
      assert.deepEqual(texts, ['another', 'one', 'two']);
      for (const text of ['one', 'two', 'none']) await parts().zones.removeText(zone, name, text);
      assert.deepEqual(await parts().foreign(name), before);
    });
  });
}
