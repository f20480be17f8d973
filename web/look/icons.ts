import { type Html, html, trustedMarkup } from '../../api/http/pages/html.ts';

/** Lines of 24 × 24 drawings, in the colour of the text around them. */
const LINES = {
  home: '<path d="M4 11.5 12 5l8 6.5"/><path d="M6 10v9h4.5v-5h3v5H18v-9"/>',
  box: '<path d="m12 3.5 8 4.3v8.4l-8 4.3-8-4.3V7.8z"/><path d="m4.2 7.9 7.8 4.3 7.8-4.3M12 12.2v8.1"/>',
  rocket:
    '<path d="M12 15.5 8.5 12C9.2 8 12 4.5 18.5 4c.9-.1 1.6.6 1.5 1.5-.5 6.5-4 9.3-8 10z"/><path d="M8.5 12H5l2.3-3.5h2.5M12 15.5V19l3.5-2.3v-2.5"/><circle cx="15" cy="9" r="1.4"/>',
  branch:
    '<circle cx="7" cy="5.5" r="2"/><circle cx="7" cy="18.5" r="2"/><circle cx="17" cy="8" r="2"/><path d="M7 7.5v9M17 10c0 3.5-3.5 4.5-7 4.5"/>',
  check: '<path d="m5 12.5 4.5 4.5L19 7.5"/>',
  'check-circle': '<circle cx="12" cy="12" r="8.5"/><path d="m8.3 12.3 2.6 2.6 4.9-5.2"/>',
  'x-circle': '<circle cx="12" cy="12" r="8.5"/><path d="m9.2 9.2 5.6 5.6m0-5.6-5.6 5.6"/>',
  x: '<path d="m6.5 6.5 11 11m0-11-11 11"/>',
  alert: '<path d="M12 4 21 19.5H3z"/><path d="M12 10v4.5M12 17v.1"/>',
  info: '<circle cx="12" cy="12" r="8.5"/><path d="M12 11v5M12 8v.1"/>',
  clock: '<circle cx="12" cy="12" r="8.5"/><path d="M12 7.5V12l3 2"/>',
  running: '<path d="M12 3.5a8.5 8.5 0 1 1-8.5 8.5"/>',
  pause: '<circle cx="12" cy="12" r="8.5"/><path d="M10 9v6m4-6v6"/>',
  minus: '<circle cx="12" cy="12" r="8.5"/><path d="M8.5 12h7"/>',
  undo: '<path d="M8.5 5 4.5 9l4 4"/><path d="M5 9h9a5 5 0 0 1 0 10h-4"/>',
  key: '<circle cx="8" cy="15.5" r="4"/><path d="m11 12.5 8-8M16 7.5l2.5 2.5M13.5 10l1.5 1.5"/>',
  people:
    '<circle cx="9" cy="8.5" r="3.2"/><path d="M3.5 19c.4-3.3 2.6-5 5.5-5s5.1 1.7 5.5 5"/><path d="M15.5 5.6a3.2 3.2 0 0 1 0 5.8M17 14.3c2 .6 3.2 2.2 3.5 4.7"/>',
  building: '<path d="M5 20V5.5L13 4v16M13 9l6 1.5V20M3.5 20h17"/><path d="M8 9h2M8 12.5h2M8 16h2M16 14v.1M16 17v.1"/>',
  globe:
    '<circle cx="12" cy="12" r="8.5"/><path d="M3.5 12h17M12 3.5c2.4 2.4 3.5 5.2 3.5 8.5s-1.1 6.1-3.5 8.5c-2.4-2.4-3.5-5.2-3.5-8.5s1.1-6.1 3.5-8.5z"/>',
  book: '<path d="M5 5.5C5 4.7 5.7 4 6.5 4H19v13H6.5C5.7 17 5 17.7 5 18.5z"/><path d="M5 18.5c0 .8.7 1.5 1.5 1.5H19v-3"/><path d="M9 8h6M9 11h4"/>',
  database:
    '<ellipse cx="12" cy="6" rx="7" ry="2.6"/><path d="M5 6v12c0 1.4 3.1 2.6 7 2.6s7-1.2 7-2.6V6M5 12c0 1.4 3.1 2.6 7 2.6s7-1.2 7-2.6"/>',
  wallet:
    '<path d="M4 7.5C4 6 5 5 6.5 5H17v3M4 7.5V17c0 1.2.8 2 2 2h14V8H6C4.8 8 4 7.7 4 7.5z"/><path d="M16 13.5v.1"/>',
  shield: '<path d="m12 3.5 7 2.5v5.5c0 4-2.5 7-7 9-4.5-2-7-5-7-9V6z"/><path d="m9 11.8 2.2 2.2 3.8-4"/>',
  gauge: '<path d="M4.5 17a8.5 8.5 0 1 1 15 0"/><path d="m12 14 4-4.5"/><circle cx="12" cy="14" r="1"/>',
  sliders: '<path d="M4 8h8m4 0h4M4 16h3m4 0h9"/><circle cx="14" cy="8" r="2"/><circle cx="9" cy="16" r="2"/>',
  terminal: '<path d="M4 5h16v14H4z"/><path d="m7.5 9.5 3 2.5-3 2.5M13 15h3.5"/>',
  tag: '<path d="M4 4.5h7.5l8 8-7 7-8.5-8z"/><path d="M8 8.5v.1"/>',
  copy: '<path d="M9 9h10v10H9z"/><path d="M15 9V5H5v10h4"/>',
  external: '<path d="M13.5 5H19v5.5M19 5l-8 8"/><path d="M11 6H5v13h13v-6"/>',
  'chevron-right': '<path d="m9.5 6 6 6-6 6"/>',
  'chevron-down': '<path d="m6 9.5 6 6 6-6"/>',
  menu: '<path d="M4 7h16M4 12h16M4 17h16"/>',
  search: '<circle cx="11" cy="11" r="6"/><path d="m15.5 15.5 4.5 4.5"/>',
  plus: '<path d="M12 5v14M5 12h14"/>',
  'sign-out': '<path d="M10 5H5v14h5M14.5 8l4 4-4 4M18 12H9.5"/>',
  link: '<path d="m10 14 4-4"/><path d="M11.5 7.5 14 5a3.5 3.5 0 0 1 5 5l-2.5 2.5M12.5 16.5 10 19a3.5 3.5 0 0 1-5-5l2.5-2.5"/>',
  palette:
    '<path d="M12 3.5a8.5 8.5 0 1 0 0 17c1.5 0 2-1 1.5-2-.8-1.5.2-3 2-3H18c1.5 0 2.5-1 2.5-3 0-5-3.8-9-8.5-9z"/><path d="M8 11v.1M11 7.5v.1M15.5 8.5v.1"/>',
  list: '<path d="M9 6.5h11M9 12h11M9 17.5h11M4.5 6.5v.1M4.5 12v.1M4.5 17.5v.1"/>',
} as const;

export type IconName = keyof typeof LINES;

export const ICON_NAMES = Object.keys(LINES) as readonly IconName[];

/** An icon that says nothing that the words beside it do not say: screen readers pass over it. */
export function icon(name: IconName): Html {
  return html`<svg class="icon icon-${name}" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${trustedMarkup(LINES[name])}</svg>`;
}
