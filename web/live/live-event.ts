import type { Html } from '../../api/http/pages/html.ts';

/** A change of a page that is open. */
export interface LiveEvent {
  /** Id of the region, as `liveRegion` has it. */
  readonly region: string;
  /** `replace` puts `html` in the place of what is there; `append` adds it at the end. */
  readonly mode: 'replace' | 'append';
  readonly html: Html;
  /** Where to go on after a break; without one the page is asked anew. */
  readonly id?: string;
}
