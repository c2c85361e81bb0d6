/** `pending`: not attempted yet; `retrying`: another attempt follows; the others are ends. */
export type DeliveryStatus = 'pending' | 'retrying' | 'succeeded' | 'failed';
