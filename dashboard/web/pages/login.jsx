import { useEffect, useState } from 'preact/hooks';
import { act } from '../data/api.js';
import { Mark } from '../parts/icons.jsx';

/** Asks for the token, unless the link that led here offered one. */
export function Login({ session, offered, done }) {
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const enter = async (token) => {
    setBusy(true);
    setError(null);
    try {
      await act('login', { token });
      done();
    } catch (reason) {
      setError(reason.message);
      setBusy(false);
    }
  };
  useEffect(() => {
    const token = offered.current;
    offered.current = null;
    if (token !== null) enter(token);
  }, []);

  return (
    <main class="alone">
      <div class="card login">
        <Mark />
        {session.asksToken ? (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              enter(event.currentTarget.elements.token.value);
            }}
          >
            <h1>This dashboard has a token</h1>
            <label class="field">
              <span>Token</span>
              <input
                name="token"
                type="password"
                autoComplete="current-password"
                required
                aria-describedby="login-error"
              />
            </label>
            <p id="login-error" class="login-error" role="alert">
              {error}
            </p>
            <button type="submit" class="button is-primary" disabled={busy}>
              Enter
            </button>
          </form>
        ) : (
          <>
            <h1>You may not see this dashboard</h1>
            <p>The application it belongs to did not let you in. Sign in there first.</p>
          </>
        )}
      </div>
    </main>
  );
}
