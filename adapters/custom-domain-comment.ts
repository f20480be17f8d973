/**
 * Marks the records of custom domains that an installation wrote: it changes no other without being asked to, nor those of
 * another installation on the same account.
 */
export const customDomainComment = (installation: string): string => `fairlead ${installation}: custom domain`;
