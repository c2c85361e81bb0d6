/** The sign of the service with its name. */
export function Logo() {
  return (
    <span class="logo">
      <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
        <rect x="4" y="13" width="24" height="16" rx="3" fill="currentColor" />
        <path d="M9 13V9a7 7 0 0 1 14 0v4" fill="none" stroke="currentColor" stroke-width="3" />
        <path d="M11 18h10M11 22h10" stroke="var(--card)" stroke-width="2" />
      </svg>
      Document Vault
    </span>
  );
}
