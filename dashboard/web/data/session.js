import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** What the server said about itself and about us: title, backend, readOnly, canLogOut. */
export const SessionContext = createContext(null);

export const useSession = () => useContext(SessionContext);
