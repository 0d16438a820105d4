import { useEffect, useId, useRef } from 'preact/hooks';
import { Icon } from './icons.jsx';

/** The browser's own dialog: it keeps the focus inside, closes with Escape and gives the focus back. */
export function Dialog({ title, close, children, footer }) {
  const dialog = useRef(null);
  const id = useId();
  useEffect(() => {
    dialog.current.showModal();
  }, []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={id} closedby="any" onClose={close}>
      <div class="dialog-body">
        <header>
          <h2 id={id}>{title}</h2>
          <button
            type="button"
            class="icon-button"
            aria-label="Close"
            onClick={() => dialog.current.close()}
          >
            <Icon name="close" />
          </button>
        </header>
        {children}
        {footer && <footer>{footer}</footer>}
      </div>
    </dialog>
  );
}

/**
 * Asks before something is done, does it, and says how that went.
 *
 * @param {{ title: string, verb: string, keep?: string, danger?: boolean, busy: boolean, confirm: () => void, close: () => void,
 *   disabled?: boolean, children: any }} props
 */
export function Confirm({
  title,
  verb,
  keep = 'Keep as it is',
  danger,
  busy,
  disabled,
  confirm,
  close,
  children,
}) {
  return (
    <Dialog
      title={title}
      close={close}
      footer={
        <>
          <button type="button" class="button" onClick={close}>
            {keep}
          </button>
          <button
            type="button"
            class={`button ${danger ? 'is-danger' : 'is-primary'}`}
            disabled={busy || disabled}
            aria-busy={busy}
            onClick={confirm}
          >
            {verb}
          </button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
