import { render } from 'preact';
import { App } from './app.jsx';
import { applyTheme } from './data/preferences.js';
import 'uplot/dist/uPlot.min.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/parts.css';
import './styles/controls.css';
import './styles/dialog.css';
import './styles/tables.css';
import './styles/overview.css';
import './styles/list.css';
import './styles/task.css';
import './styles/login.css';

applyTheme();
render(<App />, document.getElementById('app'));
