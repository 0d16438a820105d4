/** A table that scrolls sideways where it does not fit. */
export function Numbers({ label, children }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label={label}>
      <table class="numbers">{children}</table>
    </section>
  );
}
