import type { StatuspagePlace } from './statuspage-format.ts';

/** What names the pages of an installation. */
export interface StatusPages {
  /** Slug of the org that runs the installation: the page at `/` is its own. */
  readonly platformOrg: string;
  /** As people know the installation. */
  readonly platformName: string;
  /** Public address of the status page. */
  readonly statusUrl: string;
}

/** What a page is called. */
export function titleOf({ platformOrg, platformName }: Pick<StatusPages, 'platformOrg' | 'platformName'>, org: string) {
  return org === platformOrg ? `${platformName} status` : `${org} status`;
}

/** Where a page is, as documents and mails name it. */
export function placeOf(pages: StatusPages, org: string): StatuspagePlace {
  const isOwn = org === pages.platformOrg;
  return { title: titleOf(pages, org), url: isOwn ? pages.statusUrl : `${pages.statusUrl}/status/${org}` };
}
