import { useCallback, useEffect, useState } from 'preact/hooks';
import { loadSession, onRefused } from './data/api.js';
import { takeOfferedToken } from './data/offered-token.js';
import { useRoute } from './data/router.js';
import { SessionContext } from './data/session.js';
import { Login } from './pages/login.jsx';
import { Overview } from './pages/overview.jsx';
import { TaskPage } from './pages/task.jsx';
import { Tasks } from './pages/tasks.jsx';
import { Workers } from './pages/workers.jsx';
import { Shell } from './parts/shell.jsx';
import { Empty, Problem } from './parts/states.jsx';
import { Toasts } from './parts/toasts.jsx';

/** Asks who we are, then shows the page of the path or asks for the token. */
export function App() {
  const [offered] = useState(() => ({ current: takeOfferedToken() }));
  const [session, setSession] = useState(null);
  const [error, setError] = useState(null);
  const load = useCallback(() => {
    setError(null);
    const known = (found) => {
      // Kept for a later logout it would let in again who has left.
      if (found.admitted) offered.current = null;
      setSession(found);
    };
    loadSession().then(known, setError);
  }, [offered]);
  useEffect(load, [load]);
  useEffect(() => onRefused(load), [load]);

  if (error) {
    return (
      <main class="alone">
        <Problem error={error} retry={load} />
      </main>
    );
  }
  if (!session) return <main class="alone" aria-busy="true" />;
  if (!session.admitted) return <Login session={session} offered={offered} done={load} />;
  return (
    <SessionContext.Provider value={session}>
      <Shell logOut={session.canLogOut ? load : null}>
        <Page />
      </Shell>
      <Toasts />
    </SessionContext.Provider>
  );
}

function Page() {
  const { path, params } = useRoute();
  if (path === '') return <Overview params={params} />;
  if (path === 'tasks') return <Tasks params={params} />;
  if (path === 'workers') return <Workers />;
  const task = /^tasks\/(.+)$/.exec(path);
  if (task) return <TaskPage key={task[1]} id={decodeURIComponent(task[1])} />;
  return (
    <Empty title="There is no such page" level={1}>
      Nothing is served under this address.
    </Empty>
  );
}
