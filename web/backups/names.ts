import { nameAll, type Who } from '../people/who.ts';

type Viewer = Parameters<typeof nameAll>[0];

/** Names of people for a page that is looked at again and again: they are looked up when others are named. */
export function rememberNames(viewer: Viewer): (ids: readonly string[]) => Promise<Who> {
  let last: { readonly ids: string; readonly who: Promise<Who> } | null = null;
  return (ids) => {
    const key = [...new Set(ids)].sort().join(' ');
    if (last?.ids !== key) last = { ids: key, who: nameAll(viewer, { ids }) };
    return last.who;
  };
}
