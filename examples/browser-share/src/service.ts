/** Where the service is. Pages know it by themselves: a link never tells them whom to ask. */
export const baseUrl: string = import.meta.env.VITE_VAULT_URL ?? 'http://localhost:4000';
