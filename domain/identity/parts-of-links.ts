/** A piece of a text: a web address, or what stands between two. */
export interface LinkPart {
  readonly text: string;
  readonly isLink: boolean;
}

/** Splits a text at its http and https addresses; joined again the pieces are the text. */
export function partsOfLinks(text: string): readonly LinkPart[] {
  return text
    .split(/(https?:\/\/[^\s<>"']{1,2000})/)
    .map((part) => ({ text: part, isLink: /^https?:\/\/\S/.test(part) && URL.canParse(part) }))
    .filter((part) => part.text !== '');
}
