import { useState } from 'preact/hooks';
import { Icon } from './icons.jsx';
import { toast } from './toasts.jsx';

/** @param {{ text: string, what: string }} props */
export function CopyButton({ text, what }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    } catch {
      toast('This browser does not let the page copy; select the text instead.', 'failed');
    }
  };
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={`Copy ${what}`}
      title={`Copy ${what}`}
      onClick={copy}
    >
      <Icon name={copied ? 'check' : 'copy'} size={16} />
    </button>
  );
}
