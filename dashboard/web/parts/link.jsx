import { follow, href } from '../data/router.js';

/** @param {{ to: string, params?: Record<string, unknown>, [attribute: string]: any }} props */
export function Link({ to, params, children, ...rest }) {
  return (
    <a href={href(to, params)} onClick={follow} {...rest}>
      {children}
    </a>
  );
}

/** @param {{ id: string, children?: any, [attribute: string]: any }} props */
export function TaskLink({ id, children, ...rest }) {
  return (
    <Link to={`tasks/${encodeURIComponent(id)}`} {...rest}>
      {children ?? <code>{id}</code>}
    </Link>
  );
}
