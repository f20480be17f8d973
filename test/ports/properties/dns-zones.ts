import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import type { DnsZones } from '../../../domain/properties/ports.ts';

export interface DnsZonesUnderTest {
  readonly zones: DnsZones;
  addZone(domain: string, isActive: boolean): Promise<void>;
  /** A record that a person wrote. */
  addText(domain: string, text: string): Promise<void>;
  texts(domain: string): Promise<readonly string[]>;
}

/** What every {@link DnsZones} guarantees. Domains are new for each test. */
export function dnsZonesSuite(parts: () => DnsZonesUnderTest): void {
  describe('DnsZones', () => {
    const newDomain = (): string => `z${randomBytes(6).toString('hex')}.com`;
    async function requireZone(domain: string) {
      const zone = await parts().zones.findZone(domain);
      assert.ok(zone);
      return zone;
    }

    it('finds a zone by its domain, says whether it serves, and finds no other', async () => {
      const [active, pending] = [newDomain(), newDomain()];
      await parts().addZone(active, true);
      await parts().addZone(pending, false);
      const zone = await requireZone(active);
      assert.deepEqual([zone.domain, zone.isActive], [active, true]);
      assert.ok(zone.nameServers.length > 0);
      assert.equal((await requireZone(pending)).isActive, false);
      assert.equal(await parts().zones.findZone(newDomain()), null);
    });

    it('lists all zones that serve, however many there are', async () => {
      const domains = Array.from({ length: 60 }, newDomain);
      for (const domain of domains) await parts().addZone(domain, true);
      const pending = newDomain();
      await parts().addZone(pending, false);
      const active = await parts().zones.listActive();
      assert.deepEqual(
        domains.filter((domain) => !active.has(domain)),
        [],
      );
      assert.ok(!active.has(pending));
    });

    it('writes a text once, and leaves the records of others as they are', async () => {
      const domain = newDomain();
      await parts().addZone(domain, true);
      await parts().addText(domain, 'v=spf1 include:_spf.example.com -all');
      const zone = await requireZone(domain);
      await parts().zones.writeText(zone, 'site=1');
      await parts().zones.writeText(zone, 'site=1');
      assert.deepEqual(await parts().texts(domain), ['v=spf1 include:_spf.example.com -all', 'site=1']);
    });

    it('another text takes the place of its own record, and of no other', async () => {
      const domain = newDomain();
      await parts().addZone(domain, true);
      await parts().addText(domain, 'site=0');
      const zone = await requireZone(domain);
      await parts().zones.writeText(zone, 'site=1');
      await parts().zones.writeText(zone, 'site=2');
      assert.deepEqual(await parts().texts(domain), ['site=0', 'site=2']);
    });

    it('a text that somebody wrote already is not written again', async () => {
      const domain = newDomain();
      await parts().addZone(domain, true);
      await parts().addText(domain, 'site=1');
      await parts().zones.writeText(await requireZone(domain), 'site=1');
      assert.deepEqual(await parts().texts(domain), ['site=1']);
    });
  });
}
