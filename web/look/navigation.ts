import { type Html, html } from '../../api/http/pages/html.ts';
import { ICON_PATH } from './assets.ts';
import { CSRF_FIELD } from './forms.ts';
import { type IconName, icon } from './icons.ts';

export interface NavGroup {
  /** Null for the first, which needs no heading. */
  readonly title: string | null;
  readonly links: readonly {
    readonly label: string;
    readonly path: string;
    readonly icon: IconName;
    /** `page`: it is this very page; `section`: this page belongs to it. */
    readonly current: 'page' | 'section' | null;
  }[];
}

/** Who is signed in, as the foot of the navigation names them. */
export interface Who {
  readonly email: string;
  /** Org and role, such as `acme, admin`. */
  readonly standing: string;
}

/** The name of the platform, the navigation, and who is signed in. On a phone the menu opens by its address. */
export function navigation(parts: {
  readonly nav: readonly NavGroup[];
  readonly who: Who;
  readonly csrf: string;
}): Html {
  const { nav, who, csrf } = parts;
  return html`<header class="sidebar"><div class="topbar"><a class="brand" href="/"><img src="${ICON_PATH}" alt="" width="26" height="26">Fairlead</a>
<a class="button bare menu-open" href="#menu">${icon('menu')}Menu</a><a class="button bare menu-close" href="#main">${icon('x')}Close</a></div>
<div class="menu" id="menu"><nav class="nav" aria-label="Main">${nav.map(navGroup)}</nav>
<div class="account"><div class="account-who"><span title="${who.email}">${who.email}</span><span class="who-org">${who.standing}</span></div>
<form method="post" action="/sign-out"><input type="hidden" name="${CSRF_FIELD}" value="${csrf}"><button class="button bare" aria-label="Sign out" title="Sign out">${icon('sign-out')}</button></form></div></div></header>`;
}

function navGroup({ title, links }: NavGroup): Html {
  return html`${title !== null && html`<h2>${title}</h2>`}<ul>${links.map(
    ({ label, path, icon: name, current }) =>
      html`<li><a href="${path}"${current !== null && html` aria-current="${current === 'page' ? 'page' : 'true'}"`}>${icon(name)}${label}</a></li>`,
  )}</ul>`;
}
