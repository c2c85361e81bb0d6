/** Address of the service. It is fixed in the page: a link never chooses the server. */
export const baseUrl: string = import.meta.env.VITE_VAULT_URL ?? 'http://localhost:4000';
