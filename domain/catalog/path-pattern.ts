/** Begins with one slash, so that it names no host, and has no parts that lead elsewhere, however they are written. */
export const PATH = /^\/(?!\/)(?!(?:[^?#]*\/)?(?:\.|%2e){1,2}(?:\/|$))[^\s?#\\\p{Cc}]{0,999}$/iu;
